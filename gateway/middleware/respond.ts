import type { Message } from '@bufbuild/protobuf';
import type { RawBody } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Context } from '../context.js';
import type { Route } from '../routes/route.js';

/**
 * Responds with an rpc's response: as JSON, or as raw bytes where the route's raw field is set. No cache may store the JSON. It is about
 * one account, and some of it is secret, such as the text of a key or the code of a relay.
 */
export function respond(ctx: Context, route: Route, message: Message): void {
  ctx.status = route.successStatus;
  const raw = route.rawBodyOf(message);
  if (raw !== undefined) {
    respondRaw(ctx, raw);
    return;
  }
  ctx.set('Cache-Control', 'no-store');
  if (route.successStatus !== 204) {
    const json = route.encode(message);
    ctx.type = 'json';
    ctx.body = json;
  }
}

/** The default Content-Security-Policy of raw content. It lets the content load and run nothing at this address. */
const RUNS_NOTHING = "default-src 'none'; sandbox";

function respondRaw(
  ctx: Context,
  { contentType, data, etag, ageMs, notModified, fileName, policy = RUNS_NOTHING }: RawBody,
): void {
  if (etag !== '') ctx.set('ETag', etag);
  if (ageMs !== undefined) ctx.set('X-Frame-Age-Ms', String(ageMs));
  // Content such as a screen changes all the time. So only the caller may store a copy, and must revalidate it each time.
  ctx.set('Cache-Control', 'private, no-cache');
  if (notModified) {
    ctx.status = 304;
    return;
  }
  if (fileName !== undefined) ctx.attachment(fileName);
  ctx.set('Content-Type', contentType);
  // The content may come from a phone, so browsers must not guess its type.
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Security-Policy', policy);
  ctx.body = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
