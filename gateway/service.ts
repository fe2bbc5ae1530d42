import type { RequestListener } from 'node:http';
import { AllowedHosts } from '../kit/allowed-hosts.js';
import { ApiError } from '../kit/errors.js';
import type { ServerCertificate } from '../kit/https/server-certificate.js';
import { type AppParts, createApp } from './app.js';
import type { State } from './context.js';
import { type EdgeListener, listen } from './http/listen.js';
import { EDGE_LIMITS, type EdgeLimits } from './limits.js';
import { type OpenWindows, ratesOf } from './rates/rate-windows.js';
import { createReference } from './reference/reference.js';
import { type Contract, type Route, routesOf } from './routes/route.js';
import { OpenSockets } from './socket/open-sockets.js';

export interface GatewayOptions
  extends
    Pick<AppParts, 'clock' | 'log' | 'metrics' | 'authenticate'>,
    Partial<
      Pick<
        AppParts,
        'knowsCaller' | 'forgetCallers' | 'publicUrl' | 'behindProxy' | 'statusUrl' | 'statusTrust' | 'hosts'
      >
    > {
  /** The services' contracts and the transports to them; their descriptors are the routes. */
  contracts: readonly Contract[];
  /** How rate limits are counted. Absent: in the memory of this process. */
  openWindows?: OpenWindows;
  /** Absent bounds are EDGE_LIMITS. */
  limits?: Partial<EdgeLimits>;
}

export interface Gateway {
  /** Every route that the descriptors have. */
  routes: readonly Route[];
  /** Serves it, by https with a certificate; port 0 picks a free one. Throws one line when the port is taken. */
  listen(host: string, port: number, certificate?: ServerCertificate): Promise<EdgeListener>;
  /** Makes the reference before its first reader comes, who would else wait for it. A failure is logged; the reader sees it again. */
  prepareReference(): Promise<void>;
}

/** Creates the REST edge: /v1 in JSON outside, the services' rpcs inside. Throws for contracts that cannot be served. */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, contracts, openWindows, publicUrl, statusUrl, statusTrust, behindProxy = false } = options;
  const { knowsCaller = () => false, forgetCallers = () => undefined, hosts = new AllowedHosts() } = options;
  const limits = { ...EDGE_LIMITS, ...options.limits };
  // All connections have the proxy's address then.
  const connectionsOfAddressMax = behindProxy ? limits.connectionsMax : limits.connectionsOfAddressMax;
  const rates = ratesOf(limits, clock, openWindows);
  const routes = routesOf(contracts);
  let draining = false;
  const isDraining = (): boolean => draining;
  const sockets = new OpenSockets({ metrics: options.metrics, limits });
  const open = new Set<State>();
  const reference = createReference({ routes, limits, publicUrl });
  const front = { hosts, publicUrl, behindProxy, statusUrl, statusTrust, reference: reference.router };
  const parts = { ...options, ...front, routes, limits, rates, knowsCaller, forgetCallers, isDraining, sockets, open };
  const onDrain = (): void => {
    draining = true;
    sockets.closeAll();
  };
  const onDrainTimeout = (): void => {
    for (const { call } of open)
      call.abort(new ApiError('unavailable', 'The service is stopping. Send the request again.'));
  };
  const handle = createApp(parts).callback();
  const handler: RequestListener = (request, response) => void handle(request, response);
  const bounds = { ...limits, connectionsOfAddressMax };
  const stopping = { onDrain, onDrainTimeout };
  return {
    routes,
    listen: (host, port, certificate) =>
      listen(handler, { host, port, certificate, limits: bounds, clock, log: options.log, ...stopping }),
    prepareReference: () =>
      reference.prepare().catch((err: unknown) => options.log.error({ err }, 'the reference could not be made')),
  };
}
