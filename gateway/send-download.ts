import type { DescMethodServerStreaming, Message } from '@bufbuild/protobuf';
import { ClientGone, type OpenCall } from '../kit/call.js';
import type { Clock } from '../kit/clock.js';
import { ApiError, INTERNAL_MESSAGE } from '../kit/errors.js';
import { rpcOptions } from '../kit/rpc/call-crossing.js';
import type { Download } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Context } from './context.js';
import { drained } from './http/drained.js';
import type { Route } from './routes/route.js';

export interface SendDownloadOptions {
  clock: Clock;
  /** How long the client may take nothing, ms. */
  slowMs: number;
}

/**
 * Makes a server-streaming rpc for a request, and sends the file that it streams as it comes: the next part is read when the client has
 * taken the ones before. The first message is awaited before the response begins, so what is refused has an ordinary response. When the
 * file ends otherwise than it should, the connection is cut: a client then sees that it does not have all of it.
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
    if (ctx.method !== 'HEAD') await send(ctx, call, first.value, parts, options);
    ctx.res.end();
    // Ends the rpc where it has not ended, with the timer that Connect keeps for a stream.
    call.hangUp();
  } catch (thrown) {
    const error = call.endedBy ?? (thrown instanceof Error ? thrown : new Error(String(thrown)));
    call.abort(error);
    if (!ctx.res.headersSent) throw error;
    ctx.res.destroy();
    // The status was sent; the log has the reason.
    if (!(error instanceof ClientGone))
      ctx.state.error =
        error instanceof ApiError ? error : new ApiError('internal', INTERNAL_MESSAGE, { cause: error });
  }
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
  // Without its time: Connect would keep a timer for each file until then. The call's own time ends it, by the signal.
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

/** Sends the headers. */
function begin(ctx: Context, { successStatus }: Route, { name, size }: Pick<Download, 'name' | 'size'>): void {
  ctx.status = successStatus;
  ctx.attachment(name);
  // The content may come from anywhere: browsers must neither show it nor guess its type.
  ctx.set('Content-Type', 'application/octet-stream');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Cache-Control', 'no-store');
  if (size !== undefined) ctx.set('Content-Length', String(size));
  ctx.respond = false;
  ctx.res.flushHeaders();
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
