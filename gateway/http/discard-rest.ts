import type { IncomingMessage } from 'node:http';
import { constants, Http2ServerRequest } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../kit/clock.js';

export interface DiscardOptions {
  clock: Clock;
  /** Bytes that are received and dropped. */
  maxBytes: number;
  /** How long it takes bytes in, ms. */
  timeoutMs: number;
  /** How long the connection then stays open, ms. */
  lingerMs: number;
}

/**
 * Drops the rest of a request's body, for a response that is sent before it has come in: the client then reads the response instead of
 * a connection reset. Past `maxBytes` nothing more is read, and the connection is cut after `lingerMs`: cut at once, the client's next
 * write would fail before it had read the response. Of an HTTP/2 connection only this request is cut.
 */
export function discardRest(request: IncomingMessage, options: DiscardOptions): void {
  const { clock, maxBytes, timeoutMs, lingerMs } = options;
  if (request.complete) return;
  const { carrier, cut } = carrierOf(request);
  let bytes = 0;
  const slow = clock.after(timeoutMs, cut);
  request.once('close', () => slow.cancel()).once('end', () => slow.cancel());
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= maxBytes) return;
    request.off('data', onData).pause();
    const end = clock.after(lingerMs, cut);
    carrier.once('close', () => end.cancel());
  };
  request.on('data', onData);
  // A client that hangs up in the middle is expected here.
  request.on('error', () => undefined);
  request.resume();
}

/** Returns the connection of a request, or its stream in HTTP/2, and how that is ended. */
function carrierOf(request: IncomingMessage | Http2ServerRequest): { carrier: Duplex; cut: () => void } {
  if (request instanceof Http2ServerRequest) {
    const { stream } = request;
    return { carrier: stream, cut: () => stream.close(constants.NGHTTP2_CANCEL) };
  }
  const { socket } = request;
  return { carrier: socket, cut: () => socket.destroy() };
}
