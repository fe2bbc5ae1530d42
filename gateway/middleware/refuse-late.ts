import { isLate } from '../http/late-requests.js';
import type { Middleware } from '../context.js';
import { stopping } from '../stopping.js';

/**
 * Refuses the requests that came right before the port closed. A client that repeats such a request reaches another process, or the one
 * that starts next.
 */
export const refuseLate: Middleware = (ctx, next) => {
  if (isLate(ctx.req)) throw stopping();
  return next();
};
