import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../kit/clock.js';

export interface DiscardOptions {
  clock: Clock;
  /** Bytes that are received and dropped. */
  maxBytes: number;
  /** How long the connection then stays open, ms. */
  lingerMs: number;
}

/**
 * Drops the rest of a request's body, for a response that is sent before it has come in: the client then reads the response instead of
 * a connection reset. Past `maxBytes` nothing more is read, and the connection is cut after `lingerMs`: cut at once, the client's next
 * write would fail before it had read the response. The server's requestTimeout bounds the time.
 */
export function discardRest(request: IncomingMessage, { clock, maxBytes, lingerMs }: DiscardOptions): void {
  if (request.complete) return;
  let bytes = 0;
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
