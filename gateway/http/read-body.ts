import type { IncomingMessage } from 'node:http';
import { create } from '@bufbuild/protobuf';
import { type RawBody, RawBodySchema } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { JsonValue } from '../json/parse.js';
import { refuseEncoded } from './content-encoding.js';
import { readJsonBody, refuseBody } from './json-body.js';
import { readBytes, type ReadBytesOptions } from './read-bytes.js';

/** The form of the request body that a route takes. */
export type BodyForm = 'none' | 'json' | 'raw' | 'stream';

/** A body that was read; undefined: there was none. */
export type Body = JsonValue | RawBody | undefined;

const readers = { none: refuseBody, json: readJsonBody, raw: readRawBody };

/** Reads a request's body in the form that its route takes. A body of the form `stream` is passed on as it comes (body-chunks.ts). */
export function readBody(
  form: Exclude<BodyForm, 'stream'>,
  request: IncomingMessage,
  options: ReadBytesOptions,
): Promise<Body> {
  return readers[form](request, options);
}

/** Reads a body as it is; the result is empty when there is none. */
async function readRawBody(request: IncomingMessage, options: ReadBytesOptions): Promise<RawBody> {
  refuseEncoded(request);
  const data = await readBytes(request, options);
  return create(RawBodySchema, { contentType: request.headers['content-type'] ?? '', data });
}
