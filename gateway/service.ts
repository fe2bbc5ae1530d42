import type { RequestListener } from 'node:http';
import { AllowedHosts } from '../kit/net/allowed-hosts.js';
import { ApiError } from '../kit/errors/api-error.js';
import type { WebService } from '../kit/service/service.js';
import { type AppParts, createApp } from './app.js';
import type { State } from './context.js';
import { listen } from './http/listen.js';
import { createReference } from './http/serve-reference.js';
import { EDGE_LIMITS, type EdgeLimits } from './limits.js';
import { type OpenWindows, ratesOf } from './rates/rate-windows.js';
import { type Contract, type Route, routesOf } from './routes/route.js';
import { slotTexts } from './slots.js';
import { OpenSockets } from './socket/open-sockets.js';

export interface GatewayOptions
  extends
    Pick<AppParts, 'clock' | 'log' | 'metrics' | 'authenticate'>,
    Partial<
      Pick<
        AppParts,
        | 'auditor'
        | 'knowsCaller'
        | 'forgetCallers'
        | 'publicUrl'
        | 'behindProxy'
        | 'statusUrl'
        | 'statusTrust'
        | 'hosts'
        | 'mcp'
      >
    > {
  /** The contract of each service, with the transport to it. The routes are made from the rpcs in the contracts' descriptors. */
  contracts: readonly Contract[];
  /** How rate limits are counted. Absent: in the memory of this process. */
  openWindows?: OpenWindows;
  /** Bounds that are absent are those of EDGE_LIMITS. */
  limits?: Partial<EdgeLimits>;
}

export interface Gateway extends WebService {
  /** Every route that was made from the contracts. */
  routes: readonly Route[];
}

/** Creates the REST edge, which turns requests in JSON under /v1 into the services' rpcs. Throws for contracts that cannot be served. */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, contracts, openWindows, publicUrl, statusUrl, statusTrust, behindProxy = false, mcp = true } = options;
  const { knowsCaller = () => false, forgetCallers = () => undefined, hosts = new AllowedHosts() } = options;
  const limits = { ...EDGE_LIMITS, ...options.limits };
  // Behind a proxy, all connections have the proxy's address.
  const maxConnectionsOfAddress = behindProxy ? limits.maxConnections : limits.maxConnectionsOfAddress;
  const rates = ratesOf(limits, clock, openWindows);
  const routes = routesOf(contracts);
  let draining = false;
  const isDraining = (): boolean => draining;
  const sockets = new OpenSockets({ metrics: options.metrics, limits });
  const open = new Set<State>();
  const reference = createReference(slotTexts(limits, publicUrl));
  const front = { hosts, publicUrl, behindProxy, statusUrl, statusTrust, reference, mcp };
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
  const bounds = { ...limits, maxConnectionsOfAddress };
  const stopping = { onDrain, onDrainTimeout };
  return {
    routes,
    listen: (host, port, certificate) =>
      listen(handler, { host, port, certificate, limits: bounds, clock, log: options.log, ...stopping }),
  };
}
