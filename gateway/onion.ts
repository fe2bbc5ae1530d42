import type { IncomingMessage } from 'node:http';
import type { Registry } from 'prom-client';
import type { Clock } from '../kit/clock.js';
import type { Log } from '../kit/log.js';
import type { Authenticate } from '../kit/rpc/caller.js';
import { clientAddress } from './callers/client-address.js';
import type { Layer } from './exchange.js';
import { authenticateCaller, type MayAsk } from './layers/authenticate.js';
import { authorizeCaller } from './layers/authorize.js';
import { callRpc } from './layers/call-rpc.js';
import { findRoute } from './layers/find-route.js';
import { limitRates, strangers } from './layers/limit-rates.js';
import { logRequests } from './layers/log-requests.js';
import { nameRequest } from './layers/name-request.js';
import { renderErrors } from './layers/render-errors.js';
import { requireHost } from './layers/require-host.js';
import type { EdgeLimits } from './limits.js';
import type { Rates } from './rates/rate-windows.js';
import type { FindRoute } from './routes/table.js';

export interface EdgeParts {
  clock: Clock;
  log: Log;
  metrics: Registry;
  authenticate: Authenticate;
  /** Whether a key can be decided without asking. */
  knowsCaller: (authorization: string) => boolean;
  routes: FindRoute;
  limits: EdgeLimits;
  rates: Rates;
  /** Forgets who keys stand for. */
  forgetCallers: () => void;
  /** Where customers reach the edge, when that is not the address it listens on. */
  publicUrl: URL | undefined;
  /** Whether a proxy stands in front, whose X-Forwarded-For tells the client's address. */
  behindProxy: boolean;
}

/**
 * What happens to every request, outermost first. The order is the order of the questions: an unknown route is 404 for anyone;
 * a known one wants a key before a byte of the body is read; only then is the request looked at.
 */
export function onion(parts: EdgeParts): Layer[] {
  const addressOf = (request: IncomingMessage): string => clientAddress(request, parts.behindProxy);
  const { limit, windows } = parts.rates.stranger;
  const mayAsk: MayAsk = (request, authorization) =>
    windows.peek(addressOf(request)) < limit || parts.knowsCaller(authorization);
  return [
    nameRequest,
    logRequests(parts),
    renderErrors(parts, strangers(parts.rates, addressOf)),
    requireHost,
    findRoute(parts.routes),
    authenticateCaller(parts.authenticate, parts.publicUrl, mayAsk),
    limitRates(parts.rates, addressOf),
    authorizeCaller,
    callRpc({ ...parts, addressOf }),
  ];
}
