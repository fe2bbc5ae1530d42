import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** A request that a receiver got. Times are milliseconds since the epoch, with fractions, comparable between threads. */
export interface Arrival {
  id: string;
  /** When its headers had come. */
  atMs: number;
}

/** How often arrivals are reported, ms: rarely enough to cost the sender little. */
const TELL_MS = 2;

if (!isMainThread && parentPort !== null) await receive(parentPort, workerData as number);

/** `good` receivers that respond with 200 and one that hangs; reports their ports, then arrivals. */
async function receive(port: NonNullable<typeof parentPort>, good: number): Promise<void> {
  let arrivals: Arrival[] = [];
  const responding = (): RequestListener => (request, response) => {
    const atMs = performance.timeOrigin + performance.now();
    request.resume().on('end', () => {
      response.writeHead(200).end();
      // The bare peer's requests have no id, and nobody waits for them.
      const id = request.headers['x-service-delivery'];
      if (typeof id === 'string') arrivals.push({ id, atMs });
    });
  };
  const listeners: RequestListener[] = [
    ...Array.from({ length: good }, () => responding()),
    (request) => void request.resume(),
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
