import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { connect } from 'node:net';

/**
 * Listens on a Unix socket that only this user may use. A socket file that a killed process has left behind is taken over. A file on which
 * a living process listens is an error.
 */
export async function listenOnSocket(
  path: string,
  handler: Parameters<typeof createServer>[1],
): Promise<{ close(): Promise<void> }> {
  if (await isServed(path)) throw new Error(`another simulator listens on ${path}`);
  rmSync(path, { force: true });
  const server: Http2Server = createServer({}, handler);
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
