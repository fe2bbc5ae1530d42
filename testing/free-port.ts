import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** The lowest port that is used: below the range from which Linux, macOS and Windows take the local ports of outgoing connections. */
const FIRST = 20_000;
/** Ports are taken in blocks: a process listens on the first one of its block as long as it lives, so that no other takes the rest. */
const BLOCK = 100;
const BLOCKS = 120;

/** Ports of this process's block that were not returned yet. */
const left: number[] = [];

/**
 * Returns a port of 127.0.0.1 on which nothing listens, and which no other test of this machine is given. A port of the system's own
 * choice would not do: until the caller listens on it, any outgoing connection on the machine may take it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = left.shift();
    if (port === undefined) left.push(...(await takeBlock()));
    else {
      const server = await listen(port);
      if (server === undefined) continue;
      await new Promise((resolve) => server.close(resolve));
      return port;
    }
  }
}

async function takeBlock(): Promise<number[]> {
  const start = randomInt(BLOCKS);
  for (let at = 0; at < BLOCKS; at++) {
    const first = FIRST + ((start + at) % BLOCKS) * BLOCK;
    const server = await listen(first);
    if (server === undefined) continue;
    server.unref();
    return Array.from({ length: BLOCK - 1 }, (_, more) => first + 1 + more);
  }
  throw new Error(`the tests that run on this machine have all ports from ${FIRST} on`);
}

/** Returns undefined where something listens there already. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(server));
  });
}
