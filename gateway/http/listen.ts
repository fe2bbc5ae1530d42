import { createServer, type RequestListener } from 'node:http';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { boundConnections } from '../../kit/bound-connections.js';
import { HttpsServer, type HttpsServerOptions, withHsts } from '../../kit/https/https-server.js';
import type { ServerCertificate } from '../../kit/https/server-certificate.js';
import { listenOn } from '../../kit/listen-on.js';
import type { EdgeLimits } from '../limits.js';
import { endConnections } from './end-connections.js';
import { refuseTunnels, respondToMalformed } from './malformed-requests.js';
import { EdgeRequest, serveUpgrades } from './upgrades.js';

export interface EdgeListener {
  /** The port it got. */
  port: number;
  /** Stops accepting, lets requests that were sent before end (bounded by drainTimeoutMs, with a response even then), and closes. */
  close(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Absent: plain http. */
  certificate?: ServerCertificate | undefined;
  limits: EdgeLimits;
  clock: Clock;
  log: Log;
  /** Called when the listener begins to close. */
  onDrain: () => void;
  /** Called when requests under way have had their time: responds to them. */
  onDrainTimeout: () => void;
}

/** Serves `serve` over HTTP/1.1, and with a certificate over HTTP/2 too. Throws one line that names the port when it is taken. */
export async function listen(serve: RequestListener, options: ListenOptions): Promise<EdgeListener> {
  const { host, port, certificate, limits, clock, log, onDrain, onDrainTimeout } = options;
  const handler = certificate === undefined ? serve : withHsts(serve);
  const http = {
    IncomingMessage: EdgeRequest,
    // A request without Host is refused by checkTarget: Node's response would have neither an id nor a body.
    requireHostHeader: false,
    maxHeaderSize: limits.headersMaxBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // How exactly the timeouts above are kept.
    connectionsCheckingInterval: Math.min(5_000, limits.headersTimeoutMs),
  };
  const server =
    certificate === undefined
      ? createServer(http)
      : new HttpsServer({ certificate, http, limits: secureLimitsOf(limits), clock });
  server.maxConnections = limits.connectionsMax;
  boundConnections(server, limits.connectionsOfAddressMax);
  server.setTimeout(limits.silenceMs);
  server.on('request', handler);
  // 100 Continue is sent only when the body is going to be read: not for a refused key or a body that is too large.
  server.on('checkContinue', (request, response) => {
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue();
    });
    handler(request, response);
  });
  // Other expectations may be ignored; Node's own response to them would have neither an id nor a body.
  server.on('checkExpectation', handler);
  respondToMalformed(server);
  refuseTunnels(server);
  serveUpgrades(server, handler);

  const wanted = 'by the gateway (PORT)';
  return {
    port: await listenOn(server, { host, port, wanted, hostSetting: 'GATEWAY_HOST', log }),
    close: () => {
      onDrain();
      const { drainGraceMs: graceMs, drainTimeoutMs: drainMs } = limits;
      return endConnections(server, { clock, graceMs, drainMs, onTimeout: onDrainTimeout });
    },
  };
}

function secureLimitsOf(limits: EdgeLimits): HttpsServerOptions['limits'] {
  return {
    handshakeMs: limits.headersTimeoutMs,
    headersMs: limits.headersTimeoutMs,
    headersMaxBytes: limits.headersMaxBytes,
    idleMs: limits.keepAliveTimeoutMs,
    requestMs: limits.requestTimeoutMs,
    silenceMs: limits.silenceMs,
  };
}
