import type { IncomingMessage } from 'node:http';
import type { RawBody } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { JsonValue } from '../json/parse.js';
import { readJsonBody, refuseBody } from './json-body.js';
import { readRawBody } from './raw-body.js';
import type { ReadBytesOptions } from './read-bytes.js';

/** What a route takes as its request's body. */
export type BodyForm = 'none' | 'json' | 'raw';

/** A body that was read; undefined: there was none. */
export type Body = JsonValue | RawBody | undefined;

const readers = { none: refuseBody, json: readJsonBody, raw: readRawBody };

/** Reads a request's body in the form that its route takes. */
export function readBody(form: BodyForm, request: IncomingMessage, options: ReadBytesOptions): Promise<Body> {
  return readers[form](request, options);
}
