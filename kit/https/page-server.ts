import { createServer, type Server } from 'node:http';
import { boundConnections } from '../net/bound-connections.js';
import type { Clock } from '../async/clock.js';
import { HttpsServer } from './https-server.js';
import type { ServerCertificate } from './server-certificate.js';

export interface PageLimits {
  /** Connections at the most; further ones are dropped when they come. */
  maxConnections: number;
  /**
   * Most connections of one address, or of one /64 in IPv6. A proxy opens one connection for each request under way, and so does the
   * gateway when it shows the status page.
   */
  maxConnectionsOfAddress: number;
  /** Longest time for a request's headers to come in, and for the whole request, ms. */
  requestTimeoutMs: number;
  /** How long a connection may be silent, before and between requests or while it reads a response, ms. */
  silenceMs: number;
  /** Largest request line and headers together, bytes. */
  maxHeadersBytes: number;
  /** How long running pages may go on once the listener closes, ms. A scrape waits up to 1 s for the database. */
  drainMs: number;
}

export const PAGE_LIMITS: PageLimits = {
  maxConnections: 1_000,
  maxConnectionsOfAddress: 50,
  requestTimeoutMs: 5_000,
  silenceMs: 10_000,
  maxHeadersBytes: 8 * 1024,
  drainMs: 1_500,
};

/** Creates a server for a few small responses, which slow and silent clients cannot hold up. */
export function createPageServer({
  limits,
  certificate,
  clock,
}: {
  limits: PageLimits;
  /** Absent: plain http. */
  certificate?: ServerCertificate | undefined;
  clock: Clock;
}): Server {
  const { maxHeadersBytes, requestTimeoutMs, silenceMs } = limits;
  const http = {
    maxHeaderSize: maxHeadersBytes,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: silenceMs,
    // Node checks the timeouts above this often.
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
  };
  const times = { handshakeMs: requestTimeoutMs, headersMs: requestTimeoutMs, requestMs: requestTimeoutMs };
  const secureLimits = { ...times, idleMs: silenceMs, silenceMs, maxHeadersBytes };
  const server =
    certificate === undefined
      ? createServer(http)
      : new HttpsServer({ certificate, http, limits: secureLimits, clock });
  server.maxConnections = limits.maxConnections;
  boundConnections(server, limits.maxConnectionsOfAddress);
  server.setTimeout(silenceMs);
  return server;
}
