import type { Message } from '@bufbuild/protobuf';
import type { RawBody } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Context } from './exchange.js';
import type { Route } from './routes/route.js';

/** Writes an rpc's answer: JSON, or raw bytes where the route has such an answer and it is set. */
export function sendAnswer(context: Context, route: Route, answer: Message): void {
  const raw = route.rawBodyOf(answer);
  if (raw !== undefined) {
    sendRaw(context, route, raw);
    return;
  }
  context.status = route.successStatus;
  if (route.successStatus === 204) return;
  context.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  context.body = route.encode(answer);
}

function sendRaw(context: Context, route: Route, raw: RawBody): void {
  const { res } = context;
  // What is shown changes all the time: a copy may be kept by the caller alone, and must be asked about each time.
  res.setHeader('Cache-Control', 'private, no-cache');
  if (raw.etag !== '') res.setHeader('ETag', raw.etag);
  if (raw.ageMs !== undefined) res.setHeader('X-Frame-Age-Ms', raw.ageMs);
  if (raw.notModified) {
    context.status = 304;
    return;
  }
  res.setHeader('Content-Type', raw.contentType);
  // A phone's screen or log is not ours; no browser shall guess at it.
  res.setHeader('X-Content-Type-Options', 'nosniff');
  context.status = route.successStatus;
  const { buffer, byteOffset, byteLength } = raw.data;
  context.body = Buffer.from(buffer, byteOffset, byteLength);
}
