import type { Clock } from '../../kit/async/clock.js';
import { assertAllowed } from '../../kit/rpc/caller.js';
import { assertConfirmed } from '../../kit/rpc/step-up.js';
import { type Middleware, routeOf } from '../context.js';

/**
 * Refuses a caller whose scope or role is not enough for the route, or whose sign-in is too long ago for it. Only the device service decides
 * which devices the caller may see.
 */
export function checkScope(clock: Clock): Middleware {
  return (ctx, next) => {
    const { caller } = ctx.state.call;
    if (caller !== undefined) {
      const { traits } = routeOf(ctx);
      assertAllowed(caller, traits);
      assertConfirmed(caller, traits, clock.now());
    }
    return next();
  };
}
