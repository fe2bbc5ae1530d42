import { ApiError, errorKinds, INTERNAL_MESSAGE } from '../../kit/errors.js';
import type { Context, Layer } from '../exchange.js';
import { discardRest } from '../http/discard-rest.js';
import { ClientGone } from '../http/read-bytes.js';
import type { EdgeLimits } from '../limits.js';

/** Told by the log for a request whose client hung up; nobody sees it on the wire. The number is nginx's. */
const STATUS_CLIENT_GONE = 499;

/** Seconds after which a retry makes sense when nobody knows better: what fails for a moment is back by then. */
const RETRY_AFTER_S = 1;

/** Turns whatever was thrown into `{error, message}`. An unknown error is `internal` with a fixed text; the log has the cause. */
export function renderErrors(limits: Pick<EdgeLimits, 'discardMaxBytes'>): Layer {
  return async (context, next) => {
    try {
      await next();
    } catch (failure) {
      context.state.failure = failure;
      if (failure instanceof ClientGone || context.res.destroyed) {
        context.respond = false;
        context.status = STATUS_CLIENT_GONE;
        return;
      }
      render(context, failure instanceof ApiError ? failure : new ApiError('internal', INTERNAL_MESSAGE));
    }
    // An answer can be ready before the body has come in; most often it is an error.
    if (!context.req.complete) discardRest(context.req, limits.discardMaxBytes);
  };
}

function render(context: Context, { kind, message, retryAfterS, replayed }: ApiError): void {
  const { res } = context;
  if (replayed === true) res.setHeader('Idempotency-Replayed', 'true');
  if (kind === 'unauthorized') res.setHeader('WWW-Authenticate', 'Bearer');
  if (kind === 'rate_limited' || kind === 'unavailable') res.setHeader('Retry-After', retryAfterS ?? RETRY_AFTER_S);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  context.status = errorKinds[kind].status;
  context.body = JSON.stringify({ error: kind, message });
}
