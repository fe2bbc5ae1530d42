import type { IncomingMessage } from 'node:http';

/**
 * For an answer that is sent before the request's body has come in: lets the rest come and drops it, so that the client reads the
 * answer instead of a connection reset. Past `maxBytes` the connection is cut; the server's requestTimeout bounds the time.
 */
export function discardRest(request: IncomingMessage, maxBytes: number): void {
  if (request.complete) return;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) request.socket.destroy();
  });
  // A client that hangs up in the middle is what this is for.
  request.on('error', () => undefined);
  request.resume();
}
