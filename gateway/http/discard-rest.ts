import type { IncomingMessage } from 'node:http';
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
 * write would fail before it had read the response.
 */
export function discardRest(request: IncomingMessage, options: DiscardOptions): void {
  const { clock, maxBytes, timeoutMs, lingerMs } = options;
  if (request.complete) return;
  let bytes = 0;
  const slow = clock.after(timeoutMs, () => request.socket.destroy());
  request.once('close', () => slow.cancel()).once('end', () => slow.cancel());
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= maxBytes) return;
    request.off('data', onData).pause();
    const { socket } = request;
    const cut = clock.after(lingerMs, () => socket.destroy());
    socket.once('close', () => cut.cancel());
  };
  request.on('data', onData);
  // A client that hangs up in the middle is expected here.
  request.on('error', () => undefined);
  request.resume();
}
