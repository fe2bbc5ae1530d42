import type { IncomingMessage } from 'node:http';
import { create } from '@bufbuild/protobuf';
import { type RawBody, RawBodySchema } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { refuseEncoded } from './content-encoding.js';
import { readBytes, type ReadBytesOptions } from './read-bytes.js';

/** Reads a request's body as it comes, for a route that takes it so. Empty when there is none. */
export async function readRawBody(request: IncomingMessage, options: ReadBytesOptions): Promise<RawBody> {
  refuseEncoded(request);
  const data = await readBytes(request, options);
  return create(RawBodySchema, { contentType: request.headers['content-type'] ?? '', data });
}
