import type { RequestListener } from 'node:http';

/** The announced time is shorter by this much than the time for which idle connections are kept, ms. */
const MARGIN_MS = 5_000;

/**
 * Announces a shorter time for idle connections of HTTP/1.1 than the one for which they are kept. Node announces the whole time. A client
 * on a busy machine then still sends on a connection that is being closed, and its request fails with a reset.
 */
export function announceIdle(handler: RequestListener, keptMs: number): RequestListener {
  const announced = `timeout=${Math.max(1, Math.floor((keptMs - MARGIN_MS) / 1_000))}`;
  return (request, response) => {
    // HTTP/2 has no such header.
    if (request.httpVersionMajor < 2 && response.shouldKeepAlive) response.setHeader('Keep-Alive', announced);
    handler(request, response);
  };
}
