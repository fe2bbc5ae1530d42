import { fork } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface Load {
  port: number;
  /** Whole requests, sent in turn. */
  requests: readonly string[];
  /** Connections, each with one request under way at any time. */
  connections: number;
  durationMs: number;
  /** Status that every response must have. */
  status: number;
}

/**
 * Counts the responses of a server on loopback. The requests come from a process of its own, so that sending them takes no time of the
 * server's process. Throws when a response has another status or a connection breaks.
 */
export async function measureLoad(load: Load): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), { env: { ...process.env, HTTP_LOAD: 'child' } });
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('message', (outcome: number | string) =>
        typeof outcome === 'string' ? reject(new Error(outcome)) : resolve(outcome),
      );
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the load process ended with status ${code}`)));
      child.send(load);
    });
  } finally {
    child.kill();
  }
}

if (process.env['HTTP_LOAD'] === 'child') {
  process.once('message', (load: Load) => {
    runLoad(load).then(
      (responses) => process.send?.(responses),
      (error: unknown) => process.send?.(String(error)),
    );
  });
}

async function runLoad({ port, requests, connections, durationMs, status }: Load): Promise<number> {
  const expected = `HTTP/1.1 ${status} `;
  let responses = 0;
  let next = 0;
  const sockets: Socket[] = [];
  const broken = new Promise<never>((_resolve, reject) => {
    for (let count = 0; count < connections; count++) {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      sockets.push(socket);
      const ask = (): void => {
        socket.write(requests[next++ % requests.length] ?? '');
      };
      let received = '';
      socket.setEncoding('latin1');
      socket.on('connect', ask);
      socket.on('error', reject);
      socket.on('data', (chunk: string) => {
        received = received === '' ? chunk : received + chunk;
        const size = responseSize(received);
        if (size === undefined || received.length < size) return;
        if (!received.startsWith(expected)) reject(new Error(`unexpected response: ${received.slice(0, 200)}`));
        responses++;
        received = received.slice(size);
        ask();
      });
    }
  });
  // Never sleeps: in a virtual machine, waking it would take longer than some responses, and be counted as the server's time.
  let polls = true;
  const poll = (): void => {
    if (polls) setImmediate(poll);
  };
  poll();
  await Promise.race([broken, new Promise((resolve) => setTimeout(resolve, durationMs))]);
  polls = false;
  for (const socket of sockets) socket.destroy();
  return responses;
}

const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** Bytes of the response that begins the text; undefined while its headers are not there. */
function responseSize(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  return head + 4 + Number(LENGTH.exec(text.slice(0, head + 2))?.[1] ?? 0);
}
