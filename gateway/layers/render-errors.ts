import type { Clock } from '../../kit/clock.js';
import { ApiError, errorKinds, INTERNAL_MESSAGE } from '../../kit/errors.js';
import type { Context, HeaderList, Layer, Refusal } from '../exchange.js';
import { discardRest } from '../http/discard-rest.js';
import { ClientGone } from '../http/read-bytes.js';
import { writeAnswer } from '../http/write-answer.js';
import type { CountStranger } from './limit-rates.js';
import type { EdgeLimits } from '../limits.js';

/** Told by the log for a request whose client hung up; nobody sees it on the wire. The number is nginx's. */
const STATUS_CLIENT_GONE = 499;

/** Seconds after which a retry makes sense when nobody knows better: what fails for a moment is back by then. */
const RETRY_AFTER_S = 1;

/**
 * Writes a refusal, or whatever was thrown, as `{error, message}`. An unknown error is `internal` with a fixed text; the log has the
 * cause.
 */
export function renderErrors(
  { limits, clock }: { limits: EdgeLimits; clock: Clock },
  countStranger: CountStranger,
): Layer {
  return async (context, next) => {
    const { state } = context;
    try {
      await next();
    } catch (thrown) {
      if (thrown instanceof ClientGone) {
        leave(context);
        return;
      }
      state.refusal = refusalFor(thrown);
    }
    if (state.refusal !== undefined) {
      if (state.counted !== true) {
        const counting = countStranger(context);
        state.refusal = (counting instanceof Promise ? await counting : counting) ?? state.refusal;
      }
      if (context.res.destroyed) {
        leave(context);
        return;
      }
      // Whether or not the body has come in. Not after the answer: Node then drops what comes without a bound.
      discardRest(context.req, { clock, maxBytes: limits.discardMaxBytes, lingerMs: limits.discardLingerMs });
      render(context, state.refusal);
    }
  };
}

function leave(context: Context): void {
  context.respond = false;
  context.res.statusCode = STATUS_CLIENT_GONE;
}

function refusalFor(thrown: unknown): Refusal {
  return thrown instanceof ApiError ? thrown : { kind: 'internal', message: INTERNAL_MESSAGE, cause: thrown };
}

function render(context: Context, { kind, message, retryAfterS, replayed }: Refusal): void {
  const headers: HeaderList = [];
  if (replayed === true) headers.push('Idempotency-Replayed', 'true');
  if (kind === 'unauthorized') headers.push('WWW-Authenticate', 'Bearer');
  if (kind === 'rate_limited' || kind === 'unavailable') headers.push('Retry-After', retryAfterS ?? RETRY_AFTER_S);
  headers.push('Content-Type', 'application/json; charset=utf-8');
  writeAnswer(context, errorKinds[kind].status, headers, JSON.stringify({ error: kind, message }));
}
