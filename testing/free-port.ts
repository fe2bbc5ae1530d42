import { randomInt } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';

/** The lowest port that is used. All blocks are below the ports that Linux, macOS and Windows give to outgoing connections. */
const FIRST = 20_000;
/**
 * Ports are taken in blocks. A process listens on the first port of its block until it ends, so that no other process takes that block.
 */
const BLOCK = 100;
const BLOCKS = 120;

/** How long a connection to a port of this machine may take, ms. A port whose connections take longer is not used. */
const CONNECT_MS = 1_000;

/** The ports of this process's block that `freePort` has not returned yet. */
const left: number[] = [];

/**
 * Returns a port of 127.0.0.1 on which nothing listens, and which no other test on this machine gets. A port that the system chooses would
 * not do: an outgoing connection could take that port before the caller listens on it. A port whose connections the kernel sends elsewhere
 * is not returned. A container engine that was killed leaves such rules behind for the ports that its containers had.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = left.shift();
    if (port === undefined) left.push(...(await takeBlock()));
    else {
      const server = await listen(port);
      if (server === undefined) continue;
      const isReached = await reaches(server, port);
      await new Promise((resolve) => server.close(resolve));
      if (isReached) return port;
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
  throw new Error(`tests on this machine have taken all ports from ${FIRST} on: wait until some have ended`);
}

/** Listens on a port and returns the server. Returns undefined if something else listens on the port already. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(server));
  });
}

/** Returns whether a connection to the port arrives at the server that listens on that port. */
async function reaches(server: Server, port: number): Promise<boolean> {
  const client = connect({ host: '127.0.0.1', port });
  const isReached = await new Promise<boolean>((resolve) => {
    server.once('connection', (socket) => {
      socket.destroy();
      resolve(true);
    });
    client.once('error', () => resolve(false)).setTimeout(CONNECT_MS, () => resolve(false));
  });
  client.destroy();
  return isReached;
}
