import type { RequestListener } from 'node:http';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import type { Clock } from '../kit/clock.js';
import type { Log } from '../kit/log.js';
import type { Authenticate } from '../kit/rpc/caller.js';
import type { Exchange } from './exchange.js';
import { type EdgeListener, listen } from './http/listen.js';
import { createJsonDecoders } from './json/decode.js';
import { createJsonEncoders } from '../kit/json/encode.js';
import { EDGE_LIMITS, type EdgeLimits } from './limits.js';
import { onion } from './onion.js';
import { type OpenWindows, ratesOf } from './rates/rate-windows.js';
import { type Contract, type Route, routesOf } from './routes/route.js';
import { createRouteTable } from './routes/table.js';

export interface GatewayOptions {
  clock: Clock;
  log: Log;
  metrics: Registry;
  /** The services' contracts and the ways to them; their descriptors are the routes. */
  contracts: readonly Contract[];
  /** Who a header stands for; asked for every request, so it should remember (CallerCache). */
  authenticate: Authenticate;
  /** Whether a header's caller is remembered; others are not asked about for an address with too many wrong keys. Absent: none is. */
  knowsCaller?: (authorization: string) => boolean;
  /** Forgets who headers stand for, after a change of who may do what. Absent: nothing is remembered. */
  forgetCallers?: () => void;
  /** How rate limits are counted. Absent: in the memory of this process. */
  openWindows?: OpenWindows;
  /** Where customers reach the edge, when that is not the address it listens on; with https, session cookies are Secure. */
  publicUrl?: URL | undefined;
  /** Whether a proxy stands in front, whose X-Forwarded-For tells the client's address. Absent: no. */
  behindProxy?: boolean;
  /** Absent bounds are EDGE_LIMITS. */
  limits?: Partial<EdgeLimits>;
}

export interface Gateway {
  /** For an HTTP server that somebody else has made. */
  handler: RequestListener;
  /** Every route, as the descriptors say. */
  routes: readonly Route[];
  /** Serves it; port 0 picks a free one. Throws one line when the port is taken. */
  listen(host: string, port: number): Promise<EdgeListener>;
}

/** The REST edge: /v1 in JSON outside, the services' rpcs inside. Throws for contracts that cannot be served. */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, log, metrics, authenticate, publicUrl, behindProxy = false } = options;
  const forgetCallers = options.forgetCallers ?? (() => undefined);
  const knowsCaller = options.knowsCaller ?? (() => false);
  const limits = { ...EDGE_LIMITS, ...options.limits };
  const codec = { decoders: createJsonDecoders(), encoderFor: createJsonEncoders() };
  const routes = options.contracts.flatMap((contract) => routesOf(contract, codec));
  const app = new Koa<Exchange>();
  const parts = { clock, log, metrics, authenticate, knowsCaller, forgetCallers, limits, publicUrl, behindProxy };
  const rates = ratesOf(limits, clock, options.openWindows);
  for (const layer of onion({ ...parts, rates, routes: createRouteTable(routes) })) app.use(layer);
  // Only what fails after the layers, while an answer goes out, comes here; most of it is clients that hang up.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'answer was not sent'));
  const answer = app.callback();
  const handler: RequestListener = (request, response) => void answer(request, response);
  return { handler, routes, listen: (host, port) => listen(handler, { host, port, limits, clock }) };
}
