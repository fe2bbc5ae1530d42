import { assertAllowed } from '../../kit/rpc/caller.js';
import { type Middleware, routeOf } from '../context.js';

/** Refuses a caller whose scope or role is not enough for the route. Only the device service decides which devices the caller may see. */
export const checkScope: Middleware = (ctx, next) => {
  const { caller } = ctx.state.call;
  if (caller !== undefined) assertAllowed(caller, routeOf(ctx).traits);
  return next();
};
