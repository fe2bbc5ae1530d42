import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import { drain, listenOn } from '../listen-on.js';
import type { Log } from '../log.js';
import { opsPages } from './pages.js';
import type { Readiness } from './readiness.js';

export interface OpsListenOptions {
  /** Address to listen on. No response holds a secret, and none is for customers. */
  host: string;
  /** 0 picks a free one. */
  port: number;
  metrics: Registry;
  readiness: Readiness;
  clock: Clock;
  log: Log;
  /** Absent bounds are OPS_LIMITS. */
  limits?: Partial<OpsLimits>;
}

export interface OpsLimits {
  /** Connections at the most; further ones are dropped when they come. */
  connectionsMax: number;
  /** Longest time for a request's headers to come in, and for the whole request, ms. */
  requestTimeoutMs: number;
  /** How long a connection may be silent, before and between requests or while it reads a response, ms. */
  silenceMs: number;
  /** Largest request line and headers together, bytes. */
  headersMaxBytes: number;
  /** How long running pages may go on once the listener closes, ms. A scrape waits up to 1 s for the database. */
  drainMs: number;
}

const OPS_LIMITS: OpsLimits = {
  connectionsMax: 32,
  requestTimeoutMs: 5_000,
  silenceMs: 10_000,
  headersMaxBytes: 8 * 1024,
  drainMs: 1_500,
};

export interface OpsListener {
  /** The port it got. */
  port: number;
  /** Lets running pages end, for a moment. Closed last: it reports how the shutdown proceeds. */
  close(): Promise<void>;
}

/** Serves /metrics, /livez and /readyz over HTTP/1.1. Throws one line that names the port when it is taken. */
export async function listenOps(options: OpsListenOptions): Promise<OpsListener> {
  const { host, port, clock, log } = options;
  const limits = { ...OPS_LIMITS, ...options.limits };
  const pages = opsPages(options);
  const server = createServer({
    maxHeaderSize: limits.headersMaxBytes,
    headersTimeout: limits.requestTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.silenceMs,
    // How exactly the timeouts above are kept.
    connectionsCheckingInterval: Math.min(1_000, limits.requestTimeoutMs),
  });
  server.maxConnections = limits.connectionsMax;
  server.setTimeout(limits.silenceMs);
  server.on('request', (request, response) => {
    respond(request, response).catch((error: unknown) => {
      log.error({ err: error, path: pathOf(request) }, 'the ops port could not respond');
      send(response, 500, 'text/plain; charset=utf-8', 'something went wrong; the log has the cause\n');
    });
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const known = pages.get(pathOf(request));
    if (known === undefined) {
      refuse(response, 404, `not found; here are ${[...pages.keys()].join(', ')}\n`);
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      refuse(response, 405, 'only GET and HEAD\n');
    } else {
      const { status, contentType, body } = await known();
      send(response, status, contentType, body);
    }
  }

  const wanted = 'for metrics and probes (OPS_PORT)';
  const got = await listenOn(server, { host, port, wanted, hostSetting: 'OPS_HOST' });
  log.info({ host, port: got }, 'ops port listens');
  return { port: got, close: () => drain(server, clock, limits.drainMs) };
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/';
}

/** An unknown path or method ends the connection: a body may follow, which is not read. */
function refuse(response: ServerResponse, status: 404 | 405, text: string): void {
  response.setHeader('Connection', 'close');
  send(response, status, 'text/plain; charset=utf-8', text);
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  // Node leaves the body out of the response to a HEAD.
  response.end(body);
}
