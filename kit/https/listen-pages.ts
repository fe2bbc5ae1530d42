import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { announceIdle } from '../net/announce-idle.js';
import { AllowedHosts, HOST_REFUSED } from '../net/allowed-hosts.js';
import type { Clock } from '../async/clock.js';
import { withHsts } from './https-server.js';
import type { ServerCertificate } from './server-certificate.js';
import { drain, type ListenAt, listenOn } from '../net/listen-on.js';
import type { Log } from '../log/log.js';
import { createPageServer, PAGE_LIMITS, type PageLimits } from './page-server.js';

/** The response of one path. */
export interface Page {
  status: number;
  contentType: string;
  body: string;
  /** Absent: caches keep nothing. */
  cacheControl?: string;
  /** The version of the page, in quotes. A client that has this version gets 304. Absent: the page is sent each time. */
  etag?: string;
  /** Other headers. */
  headers?: Readonly<Record<string, string>>;
}

/** Called for each request of a path; requests may come at the same time. */
export type Pages = ReadonlyMap<string, () => Promise<Page>>;

export interface ListenPagesOptions extends ListenAt {
  pages: Pages;
  /** Absent: plain http. */
  certificate?: ServerCertificate | undefined;
  /** The hosts that requests may name. Absent: addresses and localhost. */
  hosts?: AllowedHosts;
  /** Names the port in the log: "the ops port". */
  name: string;
  clock: Clock;
  log: Log;
  /** Absent bounds are PAGE_LIMITS. */
  limits?: Partial<PageLimits>;
}

export interface PageListener {
  /** The port that it listens on. */
  port: number;
  /** Stops accepting connections, and lets running requests end for at most `drainMs` (see PageLimits). */
  close(): Promise<void>;
}

/**
 * Serves a few pages by GET and HEAD, whatever the query is. With a certificate it speaks HTTP/2 besides HTTP/1.1. It uses only Node's own
 * server, because these ports must respond while other things fail. When the port is taken, it throws one line that names the port.
 */
export async function listenPages(options: ListenPagesOptions): Promise<PageListener> {
  const { pages, name, hosts = new AllowedHosts(), certificate, clock, log } = options;
  const limits = { ...PAGE_LIMITS, ...options.limits };
  const server = createPageServer({ limits, certificate, clock });
  const handle: RequestListener = (request, response) => {
    respond(request, response).catch((error: unknown) => {
      log.error({ err: error, path: pathOf(request) }, `${name} could not respond`);
      send(response, textPage(500, 'something went wrong; the log has the cause\n'));
    });
  };
  server.on('request', announceIdle(certificate === undefined ? handle : withHsts(handle), limits.silenceMs));

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const known = pages.get(pathOf(request));
    if (!hosts.has(request.headers.host)) {
      refuse(response, textPage(403, `${HOST_REFUSED}\n`));
    } else if (known === undefined) {
      refuse(response, textPage(404, `not found; here are ${[...pages.keys()].join(', ')}\n`));
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(response, { ...textPage(405, 'only GET and HEAD\n'), headers: { Allow: 'GET, HEAD' } });
    } else {
      const page = await known();
      const isKnown = page.etag !== undefined && request.headers['if-none-match']?.includes(page.etag) === true;
      send(response, isKnown ? { ...page, status: 304 } : page);
    }
  }

  const port = await listenOn(server, options);
  log.info({ host: options.host, port }, `${name} listens`);
  return { port, close: () => drain(server, clock, limits.drainMs) };
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/';
}

function textPage(status: number, body: string): Page {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}

/** An unknown path or method ends the connection: a body may follow, which is not read. HTTP/2 ends only the request. */
function refuse(response: ServerResponse, page: Page): void {
  if (response.req.httpVersionMajor < 2) response.setHeader('Connection', 'close');
  send(response, page);
}

function send(response: ServerResponse, { status, contentType, body, cacheControl, etag, headers }: Page): void {
  const isBare = status === 304;
  response.writeHead(status, {
    ...headers,
    ...(!isBare && { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body) }),
    'Cache-Control': cacheControl ?? 'no-store',
    ...(etag !== undefined && { ETag: etag }),
    'X-Content-Type-Options': 'nosniff',
  });
  // Node leaves the body out of the response to a HEAD.
  response.end(isBare ? undefined : body);
}
