import type { Registry } from 'prom-client';
import type { Clock } from '../kit/clock.js';
import type { Log } from '../kit/log.js';
import type { Authenticate } from '../kit/rpc/caller.js';
import type { Layer } from './exchange.js';
import { authenticateCaller } from './layers/authenticate.js';
import { authorizeCaller } from './layers/authorize.js';
import { callRpc } from './layers/call-rpc.js';
import { findRoute } from './layers/find-route.js';
import { logRequests } from './layers/log-requests.js';
import { nameRequest } from './layers/name-request.js';
import { renderErrors } from './layers/render-errors.js';
import type { EdgeLimits } from './limits.js';
import type { FindRoute } from './routes/table.js';

export interface EdgeParts {
  clock: Clock;
  log: Log;
  metrics: Registry;
  authenticate: Authenticate;
  routes: FindRoute;
  limits: EdgeLimits;
}

/**
 * What happens to every request, outermost first. The order is the order of the questions: an unknown route is 404 for anyone;
 * a known one wants a key before a byte of the body is read; only then is the request looked at.
 */
export function onion(parts: EdgeParts): Layer[] {
  return [
    nameRequest,
    logRequests(parts),
    renderErrors(parts.limits),
    findRoute(parts.routes),
    authenticateCaller(parts.authenticate),
    authorizeCaller,
    // Rate limits come here: the caller is known, and nothing was read or done for it yet.
    callRpc(parts),
  ];
}
