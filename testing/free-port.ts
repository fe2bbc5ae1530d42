import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** The lowest port that is tried: below the range from which Linux, macOS and Windows take the local ports of outgoing connections. */
const FIRST = 20_000;
const COUNT = 12_000;

/**
 * Returns a port of 127.0.0.1 on which nothing listens. A port of the system's own choice would not do: until the caller listens on it,
 * any outgoing connection on the machine may take it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
}

/** So that no port is returned twice by this process, and rarely by two. */
let next = randomInt(COUNT);

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
