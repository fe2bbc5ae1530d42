import { assertScope } from '../../kit/rpc/caller.js';
import { type Middleware, routeOf } from '../context.js';

/** Refuses a caller whose scope is not enough for the route. Only the device service decides which devices the caller may see. */
export const checkScope: Middleware = (ctx, next) => {
  const { caller } = ctx.state.call;
  if (caller !== undefined) assertScope(caller, routeOf(ctx).scope);
  return next();
};
