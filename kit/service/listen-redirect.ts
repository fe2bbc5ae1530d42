import type { IncomingMessage } from 'node:http';
import { type AllowedHosts, HOST_REFUSED } from '../net/allowed-hosts.js';
import { type Clock, systemClock } from '../async/clock.js';
import type { FrontConfig } from '../config/process-settings.js';
import type { RedirectConfig } from '../config/https-settings.js';
import { drain, listenOn } from '../net/listen-on.js';
import type { Log } from '../log/log.js';
import { createPageServer, PAGE_LIMITS, type PageLimits } from '../https/page-server.js';
import type { Running } from './run-service.js';

export interface RedirectOptions {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** The port of https, as clients see it. */
  httpsPort: number;
  /** The hosts that requests may name. Requests that name another host are refused. */
  hosts: AllowedHosts;
  behindProxy: boolean;
  clock: Clock;
  log: Log;
  /** Absent bounds are those of the ops port. */
  limits?: Partial<PageLimits>;
}

/** Redirects every http request to https, with the same host, path and query. Throws one line that names the port when it is taken. */
export async function listenRedirect(options: RedirectOptions): Promise<{ port: number; close(): Promise<void> }> {
  const { host, port, httpsPort, hosts, behindProxy, clock, log } = options;
  const limits = {
    ...PAGE_LIMITS,
    // Behind a proxy, all connections have the proxy's address.
    ...(behindProxy && { maxConnectionsOfAddress: Infinity }),
    ...options.limits,
  };
  const server = createPageServer({ limits, clock });
  server.on('request', (request, response) => {
    const target = targetOf(request, httpsPort);
    const isAllowed = target !== undefined && hosts.has(request.headers.host);
    const status = isAllowed ? 308 : target === undefined ? 400 : 403;
    const body = isAllowed
      ? ''
      : target === undefined
        ? 'the Host header is missing or malformed\n'
        : `${HOST_REFUSED}\n`;
    response.writeHead(status, {
      ...(isAllowed && { Location: target }),
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      // The request may have a body, which is not read.
      Connection: 'close',
    });
    response.end(body);
  });
  const wanted = 'to redirect to https (REDIRECT_PORT)';
  const listening = await listenOn(server, { host, port, wanted, hostSetting: 'HOST or GATEWAY_HOST', log });
  log.info({ host, port: listening }, 'http is redirected to https');
  return { port: listening, close: () => drain(server, clock, limits.drainMs) };
}

/** Opens REDIRECT_PORT, where it is set, for an edge that listens on `port`. */
export async function openRedirect(
  { config, log, lifecycle }: Running<RedirectConfig & FrontConfig & { host: string }>,
  port: number,
): Promise<void> {
  const { redirectPort, publicUrl, host, hosts, behindProxy } = config;
  if (redirectPort === undefined) return;
  // PUBLIC_URL has the port that clients see. It may differ from `port`, as where a container's port is published as another one.
  const httpsPort = publicUrl?.protocol === 'https:' ? Number(publicUrl.port || HTTPS_PORT) : port;
  const options = { host, port: redirectPort, httpsPort, hosts, behindProxy, clock: systemClock, log };
  lifecycle.add('redirect to https', await listenRedirect(options));
}

const HTTPS_PORT = 443;

/** Returns the https URL to redirect a request to; undefined when the Host header is missing or malformed. */
function targetOf({ headers, url = '/' }: IncomingMessage, httpsPort: number): string | undefined {
  const name = headers.host?.replace(/:\d*$/, '') ?? '';
  if (!/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/i.test(name)) return undefined;
  // The host in a target of absolute form is not checked, so it is cut off. The target `*`, as in `OPTIONS *`, has no path.
  const path = url.replace(/^https?:\/\/[^/?]*/i, '');
  return `https://${name}${httpsPort === HTTPS_PORT ? '' : `:${httpsPort}`}${path.startsWith('/') ? '' : '/'}${path === '*' ? '' : path}`;
}
