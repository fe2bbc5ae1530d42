import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AllowedHosts, HOST_REFUSED } from './allowed-hosts.js';
import type { Clock } from './clock.js';
import { withHsts } from './https/https-server.js';
import type { ServerCertificate } from './https/server-certificate.js';
import { drain, type ListenAt, listenOn } from './listen-on.js';
import type { Log } from './log.js';
import { createPageServer, PAGE_LIMITS, type PageLimits } from './page-server.js';

/** The response of one path. */
export interface Page {
  status: number;
  contentType: string;
  body: string;
  /** Absent: caches keep nothing. */
  cacheControl?: string;
  /** Quoted. With it, a client that has this version already gets 304. Absent: it is sent each time. */
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
  /** The port it got. */
  port: number;
  /** Lets running pages end, for a moment. */
  close(): Promise<void>;
}

/**
 * Serves a few pages over HTTP/1.1, and with a certificate over HTTP/2 too, by GET and HEAD, with any query. For ports that must respond while other things fail, so
 * nothing but Node's own server is in between. Throws one line that names the port when it is taken.
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
  server.on('request', certificate === undefined ? handle : withHsts(handle));

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
