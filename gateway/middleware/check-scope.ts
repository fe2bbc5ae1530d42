import type { Clock } from '../../kit/async/clock.js';
import type { Auditor } from '../../kit/rpc/audit-calls.js';
import { actionOf, isAudited } from '../../kit/rpc/audited-call.js';
import { assertAllowed } from '../../kit/rpc/caller.js';
import { assertConfirmed } from '../../kit/rpc/step-up.js';
import { type Context, type Middleware, routeOf } from '../context.js';
import type { Route } from '../routes/route.js';

/**
 * Refuses a caller whose scope or role is not enough for the route, or whose sign-in is too long ago for it. The refusal is in the audit log, as
 * the call reaches no service. Only the device service decides which devices the caller may see.
 */
export function checkScope(clock: Clock, auditor: Auditor | undefined): Middleware {
  return async (ctx, next) => {
    const { caller } = ctx.state.call;
    if (caller !== undefined) {
      const { traits } = routeOf(ctx);
      try {
        assertAllowed(caller, traits);
        assertConfirmed(caller, traits, clock.now());
      } catch (error) {
        if (auditor !== undefined) await recordRefusal(ctx, routeOf(ctx), auditor.record);
        throw error;
      }
    }
    await next();
  };
}

async function recordRefusal(ctx: Context, { rpc, deviceField = '' }: Route, record: Auditor['record']): Promise<void> {
  if (!isAudited(rpc)) return;
  const { [deviceField]: device, ...others } = ctx.params;
  const target = Object.values(others).join('/');
  await record(ctx.state.call, {
    action: actionOf(rpc),
    ...(device !== undefined && { device }),
    ...(target !== '' && { target }),
    outcome: 'forbidden',
    ifControlling: false,
  });
}
