import type { Layer, Refusal } from '../exchange.js';
import type { FindRoute } from '../routes/table.js';

const NO_ROUTE: Refusal = {
  kind: 'not_found',
  message: 'There is no such route. Paths begin with /v1 and have no trailing slash.',
};

/** Finds the route; a known path with another method is method_not_allowed, with Allow. */
export function findRoute(routes: FindRoute): Layer {
  return ({ req: { method = '' }, state }, next) => {
    const found = routes(method, state.path);
    if (found === undefined) {
      state.refusal = NO_ROUTE;
      return undefined;
    }
    if ('allowed' in found) {
      const allow = found.allowed.join(', ');
      state.headers.push('Allow', allow);
      state.refusal = { kind: 'method_not_allowed', message: `${method} is not possible here; allowed: ${allow}.` };
      return undefined;
    }
    state.match = found;
    return next();
  };
}
