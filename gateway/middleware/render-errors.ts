import { ClientGone } from '../../kit/call/call.js';
import { ApiError, errorKinds, INTERNAL_MESSAGE } from '../../kit/errors/api-error.js';
import type { Context, Middleware } from '../context.js';
import { redirectWithError } from '../http/send-redirect.js';

/** The status in the log for a request whose client hung up before the response; it is never sent. nginx uses the same number. */
const STATUS_CLIENT_GONE = 499;

/** Retry-After when the error names no time, seconds. Short outages are over by then. */
const RETRY_AFTER_S = 1;

/**
 * Responds with `{error, message}` to everything that was thrown, or in the form of the endpoint; no other place renders an error. An error that is no ApiError is
 * rendered as `internal` with a fixed text, and its cause is logged.
 */
export function renderErrors(): Middleware {
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
      render(ctx, error);
    }
  };
}

function render(ctx: Context, error: ApiError): void {
  const { kind, message, retryAfterS, replayed } = error;
  // A browser was sent here, so a person would see the JSON.
  if (ctx.state.route !== undefined && ctx.state.route.traits.redirectField !== '') {
    redirectWithError(ctx, kind);
    return;
  }
  ctx.status = errorKinds[kind].status;
  if (replayed === true) ctx.set('Idempotency-Replayed', 'true');
  if (kind === 'unauthorized' && !ctx.res.hasHeader('WWW-Authenticate')) ctx.set('WWW-Authenticate', 'Bearer');
  if (kind === 'rate_limited' || kind === 'unavailable') ctx.set('Retry-After', String(retryAfterS ?? RETRY_AFTER_S));
  // Caches may store some statuses, such as 404, unless a header forbids it.
  ctx.set('Cache-Control', 'no-store');
  ctx.body = ctx.state.errorBody?.(error) ?? { error: kind, message };
}
