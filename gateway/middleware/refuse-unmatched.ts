import { ApiError } from '../../kit/errors/api-error.js';
import type { Middleware } from '../context.js';

/**
 * Responds to requests that no route matched: with method_not_allowed and Allow for a known path, otherwise with not_found. The router's
 * own allowedMethods() would respond 200 to OPTIONS and 501 to methods that it does not know.
 */
export const refuseUnmatched: Middleware = (ctx) => {
  const allowed = new Set(ctx.matched?.flatMap(({ methods }) => methods));
  if (allowed.size === 0) {
    throw new ApiError('not_found', 'There is no such route. Paths begin with /v1 and have no trailing slash.');
  }
  const allow = [...allowed].sort().join(', ');
  ctx.set('Allow', allow);
  throw new ApiError('method_not_allowed', `${ctx.method} is not possible here; allowed: ${allow}.`);
};
