import type { IncomingMessage } from 'node:http';
import { constants, Http2ServerRequest } from 'node:http2';
import type { Duplex, Readable } from 'node:stream';
import type { Clock } from '../../kit/async/clock.js';
import type { Call } from '../../kit/call/call.js';
import type { EdgeLimits } from '../limits.js';
import { hasHttp2Body } from './http2-body.js';

export interface DiscardOptions {
  clock: Clock;
  limits: Pick<EdgeLimits, 'maxDiscardBytes' | `discard${'WaitMs' | 'BeginMs' | 'StallMs' | 'TimeoutMs' | 'LingerMs'}`>;
}

/** The requests whose bodies are dropped. */
const discarded = new WeakSet<IncomingMessage>();

/** Returns whether the rest of a request's body is no longer needed. */
export function isDiscarded(request: IncomingMessage): boolean {
  return discarded.has(request);
}

/**
 * Drops the rest of a request's body, for a response that is complete before the body has come in. The client then reads the response
 * instead of a connection reset.
 *
 * Resolves when the response is to be sent: when the body is complete, or does not come within `discardBeginMs`, or stalls for
 * `discardStallMs`. It also resolves when `call` is aborted, as at a stop, and after `discardWaitMs` at the latest. A proxy that gets the
 * response earlier may reset the connection of a client that is still sending. Proxies on Go's server do so after `Expect: 100-continue`.
 * Over HTTP/2, some clients drop the body of such an early response.
 *
 * After `maxDiscardBytes` nothing more is read, and the connection is cut after `discardLingerMs`. If it were cut at once, the client's
 * next write would fail before it had read the response. On an HTTP/2 connection, only this request is cut.
 */
export async function discardRest(
  request: IncomingMessage,
  options: DiscardOptions,
  call: Pick<Call, 'signal'>,
): Promise<void> {
  if (request.complete || hasHttp2Body(request) === false) return;
  discarded.add(request);
  if (request instanceof Http2ServerRequest) {
    const { stream } = request as Http2ServerRequest;
    // After a whole response, NO_ERROR makes the client stop sending (RFC 9113, 8.1). With any other code the client takes the response
    // for broken.
    const cut = (): void =>
      stream.close(stream.writableFinished ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_CANCEL);
    discard(request, { carrier: stream, cut }, options);
  } else {
    closeAfter(request);
    discard(request, { carrier: request.socket, cut: () => request.socket.destroy() }, options);
  }
  await comingIn(request, options, call.signal);
}

/**
 * Writes the last bytes of a connection of HTTP/1.1, and closes the connection when the client does. Bytes that still come are dropped,
 * within the bounds of discardRest.
 */
export function endWith(socket: Duplex, last: string, options: DiscardOptions): void {
  // This removes Node's parser, which would report further bytes as malformed.
  socket.removeAllListeners('data');
  discard(socket, { carrier: socket, cut: () => socket.destroy() }, options);
  socket.end(last);
}

/**
 * Delays the close of a connection until a request has come in. Node closes the connection when the response is sent, if that was agreed
 * (`Connection: close`, HTTP/1.0) or the body was never requested (`Expect: 100-continue`). A client that is still sending would then get
 * a reset, which drops the response that it has not read yet.
 *
 * Our half of the connection is closed at once, so that the client sees that nothing follows.
 */
function closeAfter(request: IncomingMessage): void {
  const { socket } = request;
  // Node's http closes connections only by this method.
  socket.destroySoon = () => {
    socket.end();
    if (request.complete) socket.destroy();
    else request.once('end', () => socket.destroy());
  };
  request.once('end', () => Reflect.deleteProperty(socket, 'destroySoon'));
}

/** Receives and drops the bytes of `source`, within the bounds. Past them, `cut` is called. */
function discard(
  source: Readable,
  { carrier, cut }: { carrier: Duplex; cut: () => void },
  { clock, limits }: DiscardOptions,
): void {
  let bytes = 0;
  const slow = clock.after(limits.discardTimeoutMs, cut);
  source.once('close', () => slow.cancel()).once('end', () => slow.cancel());
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= limits.maxDiscardBytes) return;
    source.off('data', onData).pause();
    const end = clock.after(limits.discardLingerMs, cut);
    carrier.once('close', () => end.cancel());
  };
  source.on('data', onData);
  // It is expected that a client hangs up in the middle.
  source.on('error', () => undefined);
  source.resume();
}

/** Waits until the response is to be sent, see discardRest. */
function comingIn(request: IncomingMessage, { clock, limits }: DiscardOptions, signal: AbortSignal): Promise<void> {
  if (signal.aborted || Number(request.headers['content-length'] ?? 0) > limits.maxDiscardBytes)
    return Promise.resolve();
  return new Promise((resolve) => {
    const over = (): void => {
      quiet.cancel();
      wait.cancel();
      signal.removeEventListener('abort', over);
      request.off('data', onData).off('pause', over).off('end', over).off('close', over);
      resolve();
    };
    const onData = (): void => {
      quiet.cancel();
      quiet = clock.after(limits.discardStallMs, over);
    };
    const wait = clock.after(limits.discardWaitMs, over);
    let quiet = clock.after(limits.discardBeginMs, over);
    signal.addEventListener('abort', over);
    // The request is paused once it has sent more than `maxDiscardBytes`.
    request.on('data', onData).once('pause', over).once('end', over).once('close', over);
  });
}
