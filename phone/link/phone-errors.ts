import { ApiError } from '../../kit/errors.js';

/** The phone did not complete `doing` in time: "take a screenshot". */
export function phoneTimeout(doing: string, timeoutMs: number): ApiError {
  return new ApiError('timeout', `The phone did not ${doing} within ${timeoutMs} ms. Try again.`, { retryAfterS: 1 });
}

/** The phone broke off, or sent something that makes no sense. `reason` is for the caller. */
export function phoneUnavailable(reason: string, cause?: unknown): ApiError {
  return new ApiError('unavailable', `${reason} Try again.`, { cause, retryAfterS: 1 });
}
