import type { Message } from '@bufbuild/protobuf';
import type { RawBody } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Context, HeaderList } from './exchange.js';
import { writeAnswer } from './http/write-answer.js';
import type { Route } from './routes/route.js';

/** Writes an rpc's answer: JSON, or raw bytes where the route has such an answer and it is set. */
export function sendAnswer(context: Context, route: Route, answer: Message, headers: HeaderList): void {
  const raw = route.rawBodyOf(answer);
  if (raw !== undefined) {
    sendRaw(context, route, raw, headers);
    return;
  }
  if (route.successStatus === 204) {
    writeAnswer(context, 204, headers);
    return;
  }
  headers.push('Content-Type', 'application/json; charset=utf-8');
  writeAnswer(context, route.successStatus, headers, route.encode(answer));
}

function sendRaw(context: Context, route: Route, raw: RawBody, headers: HeaderList): void {
  // What is shown changes all the time: a copy may be kept by the caller alone, and must be asked about each time.
  headers.push('Cache-Control', 'private, no-cache');
  if (raw.etag !== '') headers.push('ETag', raw.etag);
  if (raw.ageMs !== undefined) headers.push('X-Frame-Age-Ms', raw.ageMs);
  if (raw.notModified) {
    writeAnswer(context, 304, headers);
    return;
  }
  headers.push('Content-Type', raw.contentType);
  // A phone's screen or log is not ours; no browser shall guess at it.
  headers.push('X-Content-Type-Options', 'nosniff');
  const { buffer, byteOffset, byteLength } = raw.data;
  writeAnswer(context, route.successStatus, headers, Buffer.from(buffer, byteOffset, byteLength));
}
