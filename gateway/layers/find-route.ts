import { ApiError } from '../../kit/errors.js';
import type { Layer } from '../exchange.js';
import type { FindRoute } from '../routes/table.js';

/** Finds the route; a known path with another method is method_not_allowed, with Allow. */
export function findRoute(routes: FindRoute): Layer {
  return (context, next) => {
    const found = routes(context.method, context.state.path);
    if ('allowed' in found) {
      const allow = found.allowed.join(', ');
      context.res.setHeader('Allow', allow);
      throw new ApiError('method_not_allowed', `${context.method} is not possible here; allowed: ${allow}.`);
    }
    context.state.match = found;
    return next();
  };
}
