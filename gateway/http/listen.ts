import { createServer, type RequestListener } from 'node:http';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { announceIdle } from '../../kit/net/announce-idle.js';
import { boundConnections } from '../../kit/net/bound-connections.js';
import { HttpsServer, type HttpsServerOptions, withHsts } from '../../kit/https/https-server.js';
import type { ServerCertificate } from '../../kit/https/server-certificate.js';
import { listenOn } from '../../kit/net/listen-on.js';
import type { EdgeLimits } from '../limits.js';
import { isDiscarded } from './discard-rest.js';
import { endConnections } from './end-connections.js';
import { LateRequests } from './late-requests.js';
import { refuseTunnels, respondToMalformed } from './malformed-requests.js';
import { EdgeRequest, serveUpgrades } from './upgrades.js';

export interface EdgeListener {
  /** The port on which the edge listens. */
  port: number;
  /**
   * Closes the listener, and serves the requests that were sent before. When drainTimeoutMs is over, the requests that are left get a
   * response. Resolves once all connections have ended.
   */
  close(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  /** The port; 0 picks a free one. */
  port: number;
  /** Absent: the edge serves plain http. */
  certificate?: ServerCertificate | undefined;
  limits: EdgeLimits;
  clock: Clock;
  log: Log;
  /** Called when the listener begins to close. */
  onDrain: () => void;
  /** Called when drainTimeoutMs is over; responds to the requests that are left. */
  onDrainTimeout: () => void;
}

/**
 * Runs `serve` over HTTP/1.1, and with a certificate over HTTP/2 too. Throws an error of one line that names the port when it is taken.
 */
export async function listen(serve: RequestListener, options: ListenOptions): Promise<EdgeListener> {
  const { host, port, certificate, limits, clock, log, onDrain, onDrainTimeout } = options;
  const late = new LateRequests();
  const secured = certificate === undefined ? serve : withHsts(serve);
  const handler = late.served(announceIdle(secured, limits.keepAliveTimeoutMs));
  const http = {
    IncomingMessage: EdgeRequest,
    // checkTarget refuses a request without Host, as Node's response would have neither an id nor a body.
    requireHostHeader: false,
    maxHeaderSize: limits.maxHeadersBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // The interval determines how exactly the timeouts above are kept.
    connectionsCheckingInterval: Math.min(5_000, limits.headersTimeoutMs),
  };
  const server =
    certificate === undefined
      ? createServer(http)
      : new HttpsServer({ certificate, http, limits: secureLimitsOf(limits), clock });
  server.maxConnections = limits.maxConnections;
  boundConnections(server, limits.maxConnectionsOfAddress);
  server.setTimeout(limits.silenceMs);
  server.on('request', handler);
  // 100 Continue is sent only when the body is going to be read. It is not sent for a refused key or a body that is too large.
  server.on('checkContinue', (request, response) => {
    request.once('resume', () => {
      if (!response.headersSent && !isDiscarded(request)) response.writeContinue();
    });
    handler(request, response);
  });
  // Other expectations may be ignored. Node's own response to them would have neither an id nor a body.
  server.on('checkExpectation', handler);
  respondToMalformed(server, options);
  refuseTunnels(server, options);
  serveUpgrades(server, handler, options);

  const wanted = 'by the gateway (PORT)';
  return {
    port: await listenOn(server, { host, port, wanted, hostSetting: 'GATEWAY_HOST', log }),
    close: () => {
      onDrain();
      const { drainAcceptMs: acceptMs, drainGraceMs: graceMs, drainTimeoutMs: drainMs } = limits;
      return endConnections(server, { clock, late, acceptMs, graceMs, drainMs, onTimeout: onDrainTimeout });
    },
  };
}

function secureLimitsOf(limits: EdgeLimits): HttpsServerOptions['limits'] {
  return {
    handshakeMs: limits.headersTimeoutMs,
    headersMs: limits.headersTimeoutMs,
    maxHeadersBytes: limits.maxHeadersBytes,
    idleMs: limits.keepAliveTimeoutMs,
    requestMs: limits.requestTimeoutMs,
    silenceMs: limits.silenceMs,
  };
}
