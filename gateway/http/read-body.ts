import type { IncomingMessage } from 'node:http';
import type { RawBody } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { JsonValue } from '../json/parse.js';
import { readJsonBody, refuseBody } from './json-body.js';
import { readRawBody } from './raw-body.js';
import type { ReadBytesOptions } from './read-bytes.js';

/** What a route takes as its request's body. */
export type BodyForm = 'none' | 'json' | 'raw' | 'stream';

/** A body that was read; undefined: there was none. */
export type Body = JsonValue | RawBody | undefined;

const readers = { none: refuseBody, json: readJsonBody, raw: readRawBody };

/** Reads a request's body in the form that its route takes. One of the form `stream` is passed on as it comes (body-chunks.ts). */
export function readBody(
  form: Exclude<BodyForm, 'stream'>,
  request: IncomingMessage,
  options: ReadBytesOptions,
): Promise<Body> {
  return readers[form](request, options);
}
