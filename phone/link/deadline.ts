import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';

export interface DeadlineOptions {
  clock: Clock;
  timeoutMs: number;
  /** Aborts when the caller has gone. */
  signal?: AbortSignal | undefined;
  /** What the phone is doing, for the error text: "take a screenshot". */
  doing: string;
}

/**
 * Runs `work` until it ends, the time is up or the caller has gone, whichever comes first; `work` is told by its signal. Time up
 * throws `timeout`. What `work` answers or throws after that is dropped.
 */
export async function withDeadline<T>(options: DeadlineOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, timeoutMs, signal, doing } = options;
  signal?.throwIfAborted();
  const abort = new AbortController();
  let timer: { cancel(): void } | undefined;
  let onAbort: (() => void) | undefined;
  const cut = new Promise<never>((_, reject) => {
    const stop = (reason: Error): void => {
      reject(reason);
      abort.abort(reason);
    };
    timer = clock.after(timeoutMs, () => stop(phoneTimeout(doing, timeoutMs)));
    onAbort = () => stop(reasonOf(signal));
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  const running = work(abort.signal);
  running.catch(() => undefined); // When `cut` wins, nobody else listens.
  try {
    return await Promise.race([running, cut]);
  } finally {
    timer?.cancel();
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
  }
}

export function phoneTimeout(doing: string, timeoutMs: number): ApiError {
  return new ApiError('timeout', `The phone did not ${doing} within ${timeoutMs} ms. Try again.`, { retryAfterS: 1 });
}

/** The phone broke off, or said what makes no sense. `reason` is for the caller. */
export function phoneUnavailable(reason: string, cause?: unknown): ApiError {
  return new ApiError('unavailable', `${reason} Try again.`, { cause, retryAfterS: 1 });
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
