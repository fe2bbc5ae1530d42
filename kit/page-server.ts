import { createServer, type Server } from 'node:http';
import { boundConnections } from './bound-connections.js';
import type { Clock } from './clock.js';
import { HttpsServer } from './https/https-server.js';
import type { ServerCertificate } from './https/server-certificate.js';

export interface PageLimits {
  /** Connections at the most; further ones are dropped when they come. */
  connectionsMax: number;
  /** Those of one address, or of one /64 in IPv6. A proxy, and the gateway for the status page, open one for each request at a time. */
  connectionsOfAddressMax: number;
  /** Longest time for a request's headers to come in, and for the whole request, ms. */
  requestTimeoutMs: number;
  /** How long a connection may be silent, before and between requests or while it reads a response, ms. */
  silenceMs: number;
  /** Largest request line and headers together, bytes. */
  headersMaxBytes: number;
  /** How long running pages may go on once the listener closes, ms. A scrape waits up to 1 s for the database. */
  drainMs: number;
}

export const PAGE_LIMITS: PageLimits = {
  connectionsMax: 1_000,
  connectionsOfAddressMax: 50,
  requestTimeoutMs: 5_000,
  silenceMs: 10_000,
  headersMaxBytes: 8 * 1024,
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
  const { headersMaxBytes, requestTimeoutMs, silenceMs } = limits;
  const http = {
    maxHeaderSize: headersMaxBytes,
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: silenceMs,
    // How exactly the timeouts above are kept.
    connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
  };
  const times = { handshakeMs: requestTimeoutMs, headersMs: requestTimeoutMs, requestMs: requestTimeoutMs };
  const secureLimits = { ...times, idleMs: silenceMs, silenceMs, headersMaxBytes };
  const server =
    certificate === undefined
      ? createServer(http)
      : new HttpsServer({ certificate, http, limits: secureLimits, clock });
  server.maxConnections = limits.connectionsMax;
  boundConnections(server, limits.connectionsOfAddressMax);
  server.setTimeout(silenceMs);
  return server;
}
