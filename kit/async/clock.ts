/** Passes time as an argument. Everything that waits or reads the time gets a Clock, so tests can pass in a clock that they set. */
export interface Clock {
  /** Wall-clock time, milliseconds since the epoch. May jump; for timestamps. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. For durations and deadlines. */
  monotonicMs(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `ms` milliseconds. The timer does not keep the process alive. */
  after(ms: number, run: () => void): Timer;
}

export interface Timer {
  /** Safe to call any number of times, also after the timer ran. */
  cancel(): void;
}

/** Node cannot wait longer than this in one timer (2^31 - 1 ms, about 24.8 days). */
const MAX_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(asError(signal.reason));
        return;
      }
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        Math.min(ms, MAX_TIMER_MS),
      );
      const abort = (): void => {
        clearTimeout(timer);
        reject(asError(signal?.reason));
      };
      signal?.addEventListener('abort', abort, { once: true });
    }),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, MAX_TIMER_MS));
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
