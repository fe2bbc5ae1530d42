import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Bytes of a response that are more than the windows of TCP hold, so that a write to a stalled connection stays under way. */
export const STALLING_BYTES = 32_000_000;

/**
 * Asks for a response over HTTP/2, with windows as large as they can be. Once the response has begun, the client reads nothing more.
 * Returns a function that ends the client.
 */
export async function stalledRequest(scheme: 'http' | 'https', port: number): Promise<() => void> {
  const sockets: Socket[] = [];
  const between = createServer((client) => {
    const behind = connect(port, '127.0.0.1');
    sockets.push(client, behind);
    client.on('error', () => undefined).pipe(behind);
    behind.on('error', () => undefined).pipe(client);
    between.once('stall', () => behind.unpipe().pause());
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  const session = connectHttp2(`${scheme}://127.0.0.1:${(between.address() as AddressInfo).port}`, {
    rejectUnauthorized: false,
    settings: { initialWindowSize: 2 ** 31 - 1 },
  });
  session.on('error', () => undefined);
  await once(session, 'connect');
  session.setLocalWindowSize(2 ** 31 - 1);
  const stream = session.request();
  stream.on('error', () => undefined);
  await once(stream, 'response');
  between.emit('stall');
  return () => {
    session.destroy();
    between.close();
    for (const socket of sockets) socket.destroy();
  };
}
