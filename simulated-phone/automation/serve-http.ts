import { createServer, type RequestListener, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { linkAborts } from '../linked-abort.js';
import type { LocalConnection } from '../local-sockets.js';

/** A server that is given connections of the phone, and listens nowhere itself. */
export function httpServer(onRequest: RequestListener): Server {
  return createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }, onRequest);
}

/** Serves a connection inside the phone until either side ends it, or `closing` aborts: the server knows only connections that it accepted. */
export async function serveHttp(server: Server, connection: LocalConnection, closing: AbortSignal): Promise<void> {
  const [near, far] = duplexPair();
  near.on('error', () => undefined);
  far.on('error', () => undefined);
  const end = (): void => void near.destroy();
  far.once('close', end);
  const ends = linkAborts([connection.closed, closing]);
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
    ends.unlink();
    near.destroy();
    far.destroy();
  }
}
