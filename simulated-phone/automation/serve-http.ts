import { createServer, type RequestListener, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { Cancellation } from '../../kit/async/within.js';
import type { LocalConnection } from '../streams/local-sockets.js';

/** Returns an HTTP server that gets connections of the phone, and does not listen itself. */
export function httpServer(onRequest: RequestListener): Server {
  return createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, onRequest);
}

/**
 * Serves a connection inside the phone until either side ends it, or `closing` aborts. The server cannot close it, as it knows only
 * connections that it accepted itself.
 */
export async function serveHttp(server: Server, connection: LocalConnection, closing: AbortSignal): Promise<void> {
  const [near, far] = duplexPair();
  near.on('error', () => undefined);
  far.on('error', () => undefined);
  const end = (): void => void near.destroy();
  far.once('close', end);
  const ends = new Cancellation([connection.closed, closing]);
  ends.signal.addEventListener('abort', end, { once: true });
  if (ends.signal.aborted) end();
  server.emit('connection', far);
  const receive = async (): Promise<void> => {
    for (let part = await connection.read(); part !== undefined; part = await connection.read())
      if (!near.write(part)) await new Promise<void>((resolve) => near.once('drain', resolve).once('close', resolve));
    near.end();
  };
  const send = async (): Promise<void> => {
    for await (const part of near) await connection.write(part as Buffer);
  };
  try {
    await Promise.race([send(), receive().then(() => new Promise<void>((resolve) => near.once('close', resolve)))]);
  } catch (error) {
    if (!(error instanceof BrokenPipe) && !near.destroyed) throw error;
  } finally {
    ends.end();
    near.destroy();
    far.destroy();
  }
}
