import type { ServerResponse } from 'node:http';
import { constants, Http2ServerResponse } from 'node:http2';
import type { DescMethodServerStreaming, Message } from '@bufbuild/protobuf';
import { ClientGone, type OpenCall } from '../kit/call/call.js';
import type { Clock } from '../kit/async/clock.js';
import { ApiError, INTERNAL_MESSAGE } from '../kit/errors/api-error.js';
import { rpcOptions } from '../kit/rpc/call-crossing.js';
import type { Download, DownloadRange } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Context } from './context.js';
import { drained } from './http/drained.js';
import type { Route } from './routes/route.js';

export interface SendDownloadOptions {
  clock: Clock;
  /** How long the client may accept no bytes, ms. */
  slowMs: number;
}

/**
 * Makes a server-streaming rpc for a request, and sends the parts of its file as they arrive. The next part is read when the client has
 * taken the parts before. The first message is awaited before the response begins, so that a refusal is an ordinary response. When the file
 * does not end as it should, the connection is cut. So the client notices that the file is incomplete.
 */
export async function sendDownload(
  ctx: Context,
  route: Route,
  call: OpenCall,
  request: Message,
  options: SendDownloadOptions,
): Promise<void> {
  try {
    const parts = await openDownload(route, call, request);
    const first = await parts.next();
    if (first.done === true) throw new Error(`${route.rpc.toString()} ended without a message`);
    begin(ctx, route, first.value);
    if (ctx.method !== 'HEAD' && ctx.status !== 416) await send(ctx, call, first.value, parts, options);
    ctx.res.end();
    // This ends an rpc that has not ended, and the timer that Connect keeps for its stream.
    call.hangUp();
  } catch (thrown) {
    const error = call.endedBy ?? (thrown instanceof Error ? thrown : new Error(String(thrown)));
    call.abort(error);
    if (!ctx.res.headersSent) throw error;
    cutOff(ctx.res);
    // The status has been sent, so the reason is only in the log.
    if (!(error instanceof ClientGone))
      ctx.state.error =
        error instanceof ApiError ? error : new ApiError('internal', INTERNAL_MESSAGE, { cause: error });
  }
}

/** Cuts a response off. In HTTP/2 the stream is reset with an error, as clients take a stream that is destroyed for a complete one. */
function cutOff(response: ServerResponse | Http2ServerResponse): void {
  if (response instanceof Http2ServerResponse) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

async function openDownload(
  { transport, rpc: routed, downloadOf }: Route,
  call: OpenCall,
  request: Message,
): Promise<AsyncGenerator<Download, undefined, undefined>> {
  const rpc = routed as DescMethodServerStreaming;
  const requests = async function* (): AsyncGenerator<Message, void, undefined> {
    yield request;
  };
  const { signal, contextValues } = rpcOptions(call);
  // The time limit is not passed on. Connect would keep a timer for each file until the limit is over. The call's signal ends the rpc at
  // its deadline.
  const { message } = await transport.stream(rpc, signal, undefined, undefined, requests(), contextValues);
  return (async function* () {
    for await (const each of message) {
      const part = downloadOf?.(each);
      if (part === undefined) throw new Error(`${rpc.toString()} sent a message without a part of a file`);
      yield part;
    }
    return undefined;
  })();
}

/** Sends the headers of the response. */
function begin(
  ctx: Context,
  { successStatus }: Route,
  { name, size, contentType = 'application/octet-stream', range, etag }: Omit<Download, '$typeName' | 'data'>,
): void {
  ctx.status = successStatus;
  if (range !== undefined) setRange(ctx, range, size ?? 0);
  if (ctx.status !== 416) {
    ctx.attachment(name);
    if (etag !== undefined) ctx.set('ETag', etag);
    // The content may come from anywhere, so browsers must neither show it as a page nor guess its type.
    ctx.set('Content-Type', contentType);
  }
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Cache-Control', 'no-store');
  if (size !== undefined) ctx.set('Content-Length', String(size));
  ctx.respond = false;
  ctx.res.flushHeaders();
}

/** Sets the status and headers of a file whose parts can be requested (RFC 9110, section 14). `bytes`: how many are sent. */
function setRange(ctx: Context, { total, first, unsatisfiable }: DownloadRange, bytes: number): void {
  ctx.set('Accept-Ranges', 'bytes');
  if (unsatisfiable) {
    ctx.status = 416;
    ctx.set('Content-Range', `bytes */${total}`);
  } else if (first !== undefined) {
    ctx.status = 206;
    ctx.set('Content-Range', `bytes ${first}-${first + bytes - 1}/${total}`);
  }
}

async function send(
  { res }: Context,
  call: OpenCall,
  first: Download,
  rest: AsyncGenerator<Download, undefined, undefined>,
  { clock, slowMs }: SendDownloadOptions,
): Promise<void> {
  const { size } = first;
  const onSlow = (): Error => new ApiError('timeout', `The client took nothing of the file for ${slowMs / 1000} s.`);
  let sent = 0;
  const write = async ({ data }: Download): Promise<void> => {
    sent += data.length;
    if (size !== undefined && sent > size) throw new Error('a file was longer than its size');
    if (res.destroyed) throw new ClientGone();
    if (data.length > 0 && !res.write(data)) await call.unlessEnded(drained(res, { clock, slowMs, onSlow }));
  };
  await write(first);
  for await (const part of rest) await write(part);
  if (size !== undefined && sent < size) throw new Error('a file was shorter than its size');
}
