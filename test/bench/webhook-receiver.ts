import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** A request that a receiver got. Times are milliseconds since the epoch, with fractions, comparable between threads. */
export interface Arrival {
  id: string;
  attempt: number;
  /** When its headers had come. */
  atMs: number;
  /** When it was answered. */
  endedMs: number;
}

/** How often arrivals are told of, ms: rarely enough to cost the sender little. */
const TELL_MS = 2;

if (!isMainThread && parentPort !== null) await receive(parentPort, workerData as number);

/** `good` receivers that answer 200, one that hangs, and one that answers first attempts with 500; tells their ports, then arrivals. */
async function receive(port: NonNullable<typeof parentPort>, good: number): Promise<void> {
  let arrivals: Arrival[] = [];
  const nowMs = (): number => performance.timeOrigin + performance.now();
  const answering =
    (statusOf: (attempt: number) => number): RequestListener =>
    (request, response) => {
      const atMs = nowMs();
      request.resume().on('end', () => {
        const attempt = Number(request.headers['x-service-attempt'] ?? 0);
        response.writeHead(statusOf(attempt)).end();
        // The bare peer's requests have no id, and nobody waits for them.
        const id = request.headers['x-service-delivery'];
        if (typeof id === 'string') arrivals.push({ id, attempt, atMs, endedMs: nowMs() });
      });
    };
  const listeners: RequestListener[] = [
    ...Array.from({ length: good }, () => answering(() => 200)),
    (request) => void request.resume(),
    answering((attempt) => (attempt === 1 ? 500 : 200)),
  ];
  const ports = await Promise.all(
    listeners.map(
      (listener) =>
        new Promise<number>((resolve) => {
          const server = createServer(listener).listen(0, '127.0.0.1', () =>
            resolve((server.address() as AddressInfo).port),
          );
        }),
    ),
  );
  port.postMessage(ports);
  setInterval(() => {
    if (arrivals.length > 0) port.postMessage(arrivals);
    arrivals = [];
  }, TELL_MS);
}
