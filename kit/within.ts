import type { Clock } from './clock.js';

export interface TimeLimit {
  clock: Clock;
  /** Infinity: no limit of time. */
  timeoutMs: number;
  /** Each ends the work early with its reason: the client has gone, a connection broke. Absent ones are ignored. */
  signals?: readonly (AbortSignal | undefined)[];
  /** Returns the error for the end of the time. */
  onTimeout: () => Error;
}

/** What ends work early: `signal` aborts when the time is over, or one of the given signals aborts. The holder calls `end`. */
export interface Limited {
  signal: AbortSignal;
  abort: (reason: Error) => void;
  /** Stops the timer and the listeners. Safe to call any number of times. */
  end: () => void;
}

/** Begins a time limit. Not AbortSignal.any: its signals are kept for as long as the ones they come from, which may be for ever. */
export function beginLimit({ clock, timeoutMs, signals = [], onTimeout }: TimeLimit): Limited {
  const controller = new AbortController();
  const abort = (reason: Error): void => controller.abort(reason);
  const timer = timeoutMs === Infinity ? undefined : clock.after(timeoutMs, () => abort(onTimeout()));
  const removals = signals.map((signal) => {
    if (signal === undefined) return () => undefined;
    const onAbort = (): void => abort(reasonOf(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    return () => signal.removeEventListener('abort', onAbort);
  });
  const end = (): void => {
    timer?.cancel();
    for (const remove of removals) remove();
  };
  return { signal: controller.signal, abort, end };
}

/** Runs `work` with a time limit; a late result is ignored. `work` gets a signal that aborts when it is no longer waited for. */
export async function within<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, end } = beginLimit(limit);
  try {
    signal.throwIfAborted();
    return await unlessAborted(signal, work(signal));
  } finally {
    end();
  }
}

/** Returns the result of `work`, or rejects with the signal's reason when it aborts first; a late result is ignored. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(reasonOf(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    // Each settles the promise once; what comes later is ignored. The listener is removed, as the signal may live much longer.
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
