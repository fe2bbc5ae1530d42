import type { Clock } from '../../../kit/async/clock.js';
import type { WorkLimit } from '../../../kit/async/within.js';
import { ApiError } from '../../../kit/errors/api-error.js';

/** Returns the time limit of work on a phone's host. Late work ends with ApiError `timeout`; an abort of `outer` ends it too. */
export function hostLimit(clock: Clock, timeoutMs: number, outer?: AbortSignal): WorkLimit {
  const onTimeout = (): Error =>
    new ApiError('timeout', `The phone's host did not finish within ${timeoutMs / 1000} s.`);
  return { clock, timeoutMs, signals: [outer], onTimeout };
}
