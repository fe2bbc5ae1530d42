import { connect, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export interface Load {
  port: number;
  /** Whole requests, sent in turn. */
  requests: readonly string[];
  /** Connections, each with one request under way at any time. */
  connections: number;
  durationMs: number;
  /** Status that every answer must have. */
  status: number;
}

/**
 * Answers per second of a server on loopback, asked by a thread of its own, so that asking takes no time from the server's thread.
 * Throws when an answer has another status or a connection breaks.
 */
export async function measureLoad(load: Load): Promise<number> {
  const worker = new Worker(new URL(import.meta.url), { workerData: load });
  try {
    return await new Promise<number>((resolve, reject) => {
      worker.once('message', (outcome: number | string) =>
        typeof outcome === 'number' ? resolve(outcome) : reject(new Error(outcome)),
      );
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  runLoad(workerData as Load).then(
    (perSecond) => port.postMessage(perSecond),
    (error: unknown) => port.postMessage(String(error)),
  );
}

async function runLoad({ port, requests, connections, durationMs, status }: Load): Promise<number> {
  const expected = `HTTP/1.1 ${status} `;
  let answers = 0;
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
        const size = answerSize(received);
        if (size === undefined || received.length < size) return;
        if (!received.startsWith(expected)) reject(new Error(`unexpected answer: ${received.slice(0, 200)}`));
        answers++;
        received = received.slice(size);
        ask();
      });
    }
  });
  const startedMs = performance.now();
  await Promise.race([broken, new Promise((resolve) => setTimeout(resolve, durationMs))]);
  const perSecond = answers / ((performance.now() - startedMs) / 1000);
  for (const socket of sockets) socket.destroy();
  return perSecond;
}

const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** Bytes of the answer that begins the text; undefined while its headers are not there. */
function answerSize(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  return head + 4 + Number(LENGTH.exec(text.slice(0, head + 2))?.[1] ?? 0);
}
