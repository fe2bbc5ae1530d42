import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';

export interface DeadlineOptions {
  clock: Clock;
  timeoutMs: number;
  /** Each ends the work early with its reason: the caller has gone, the link has broken. Absent ones are ignored. */
  signals?: readonly (AbortSignal | undefined)[];
  /** What the phone is asked to do, for the error text: "take a screenshot". */
  doing: string;
}

/**
 * Runs `work` with a time limit; a late result is ignored. Throws `timeout` when the time is up and the reason of the first of
 * `signals` that aborts. `work` gets a signal that aborts in both cases.
 */
export async function withDeadline<T>(options: DeadlineOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, timeoutMs, signals = [], doing } = options;
  for (const signal of signals) signal?.throwIfAborted();
  const abort = new AbortController();
  const cut = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => reject(reasonOf(abort.signal)), { once: true });
  });
  const timer = clock.after(timeoutMs, () => abort.abort(phoneTimeout(doing, timeoutMs)));
  // Removed at the end: these signals outlive the work, and each listener would keep its result.
  const listeners = signals.map((signal) => {
    const onAbort = (): void => abort.abort(reasonOf(signal));
    signal?.addEventListener('abort', onAbort, { once: true });
    return () => signal?.removeEventListener('abort', onAbort);
  });
  try {
    const running = work(abort.signal);
    running.catch(() => undefined); // Fails unobserved when `cut` was first.
    return await Promise.race([running, cut]);
  } finally {
    timer.cancel();
    for (const remove of listeners) remove();
  }
}

export function phoneTimeout(doing: string, timeoutMs: number): ApiError {
  return new ApiError('timeout', `The phone did not ${doing} within ${timeoutMs} ms. Try again.`, { retryAfterS: 1 });
}

/** The phone broke off, or sent something that makes no sense. `reason` is for the caller. */
export function phoneUnavailable(reason: string, cause?: unknown): ApiError {
  return new ApiError('unavailable', `${reason} Try again.`, { cause, retryAfterS: 1 });
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
