import { ApiError } from '../../kit/errors/api-error.js';

/** Returns the error of a phone that did not complete `doing` in time. An example of `doing` is "take a screenshot". */
export function phoneTimeout(doing: string, timeoutMs: number): ApiError {
  return new ApiError('timeout', `The phone did not ${doing} within ${timeoutMs} ms. Try again.`, { retryAfterS: 1 });
}

/** Returns the error of a phone that broke off, or sent invalid data. `reason` is for the caller. */
export function phoneUnavailable(reason: string, cause?: unknown): ApiError {
  return new ApiError('unavailable', `${reason} Try again.`, { cause, retryAfterS: 1 });
}
