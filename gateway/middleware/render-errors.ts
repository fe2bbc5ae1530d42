import { ClientGone } from '../../kit/call.js';
import type { Clock } from '../../kit/clock.js';
import { ApiError, errorKinds, INTERNAL_MESSAGE } from '../../kit/errors.js';
import type { Context, Middleware } from '../context.js';
import { discardRest } from '../http/discard-rest.js';
import type { EdgeLimits } from '../limits.js';

/** Logged for a request whose client hung up before the response; never sent. nginx uses the same number. */
const STATUS_CLIENT_GONE = 499;

/** Retry-After when the error names no time, seconds: short outages are over by then. */
const RETRY_AFTER_S = 1;

/**
 * Responds with `{error, message}` to everything that was thrown; no other place renders an error. An error that is no ApiError is
 * `internal` with a fixed text, and its cause is logged.
 */
export function renderErrors({ limits, clock }: { limits: EdgeLimits; clock: Clock }): Middleware {
  const discard = {
    clock,
    maxBytes: limits.discardMaxBytes,
    timeoutMs: limits.discardTimeoutMs,
    lingerMs: limits.discardLingerMs,
  };
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      // Once the call is aborted everything fails, and the abort is the reason.
      const reason: unknown = ctx.state.call.endedBy ?? thrown;
      if (reason instanceof ClientGone || ctx.res.destroyed) {
        ctx.respond = false;
        ctx.res.statusCode = STATUS_CLIENT_GONE;
        return;
      }
      const error = reason instanceof ApiError ? reason : new ApiError('internal', INTERNAL_MESSAGE, { cause: reason });
      ctx.state.error = error;
      // Before the response: after it Node would drop the rest of the body itself, however much comes.
      discardRest(ctx.req, discard);
      render(ctx, error);
    }
  };
}

function render(ctx: Context, { kind, message, retryAfterS, replayed }: ApiError): void {
  ctx.status = errorKinds[kind].status;
  if (replayed === true) ctx.set('Idempotency-Replayed', 'true');
  if (kind === 'unauthorized') ctx.set('WWW-Authenticate', 'Bearer');
  if (kind === 'rate_limited' || kind === 'unavailable') ctx.set('Retry-After', String(retryAfterS ?? RETRY_AFTER_S));
  // Some statuses, such as 404, may be kept by caches unless a header forbids it.
  ctx.set('Cache-Control', 'no-store');
  ctx.body = { error: kind, message };
}
