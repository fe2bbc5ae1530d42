import { setMaxListeners } from 'node:events';
import type { Clock, Timer } from './clock.js';

export interface TimeLimit {
  clock: Clock;
  /** Infinity: no limit of time. */
  timeoutMs: number;
  /** Returns the error for the end of the time. */
  onTimeout: (timeoutMs: number) => Error;
}

export interface WorkLimit extends TimeLimit {
  /** Each signal ends the work early with its reason, such as a client that has gone. Absent signals are ignored. */
  signals?: readonly (AbortSignal | undefined)[];
}

/**
 * An AbortController that also aborts with the first of other signals, or when a time is over. Its holder calls `end` when the work is
 * over. `end` removes the listeners from those signals, which may live as long as the process.
 *
 * The signal is made at the first access, as it costs more than all the rest. A request that is refused at once needs none.
 */
export class Cancellation {
  readonly #timer: Timer | undefined;
  readonly #sources: AbortSignal[] = [];
  readonly #onEnd = new Set<(reason: Error) => void>();
  #controller: AbortController | undefined;
  #endedBy: Error | undefined;

  /** Each of the signals aborts it with its own reason, and so does the end of `limit`. Undefined signals are ignored. */
  constructor(signals: readonly (AbortSignal | undefined)[] = [], limit?: TimeLimit) {
    for (const signal of signals) {
      if (signal?.aborted === true) this.abort(reasonOf(signal));
      if (this.#endedBy !== undefined) return;
      if (signal === undefined) continue;
      this.#sources.push(signal);
      signal.addEventListener('abort', this.#onSourceAbort);
    }
    if (limit === undefined || limit.timeoutMs === Infinity) return;
    this.#timer = limit.clock.after(limit.timeoutMs, () => this.abort(limit.onTimeout(limit.timeoutMs)));
  }

  /** The signal may have any number of listeners. Without that, Node would take more than ten for a leak, and warn. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // 0 means the same, but then getMaxListeners, which undici calls, throws in Node 20.
      setMaxListeners(Infinity, this.#controller.signal);
      if (this.#endedBy !== undefined) this.#controller.abort(this.#endedBy);
    }
    return this.#controller.signal;
  }

  /** Why the signal is aborted; undefined while it is not. */
  get endedBy(): Error | undefined {
    return this.#endedBy;
  }

  abort(reason: Error = new DOMException('This operation was aborted', 'AbortError')): void {
    this.#endedBy ??= reason;
    this.end();
    this.#controller?.abort(this.#endedBy);
    for (const onEnd of this.#onEnd) onEnd(this.#endedBy);
  }

  /** Waits for `work` as `unlessAborted` does, but makes no signal for it. */
  unlessEnded<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#endedBy !== undefined) reject(this.#endedBy);
      this.#onEnd.add(reject);
      work.then(resolve, reject).finally(() => this.#onEnd.delete(reject));
    });
  }

  /** Stops the timer and leaves the other signals. Safe to call any number of times. */
  end(): void {
    this.#timer?.cancel();
    for (const signal of this.#sources.splice(0)) signal.removeEventListener('abort', this.#onSourceAbort);
  }

  readonly #onSourceAbort = ({ target }: Event): void => this.abort(reasonOf(target as AbortSignal));
}

/** Runs `work` within a limit; a late result is ignored. `work` gets a signal that aborts when it is no longer waited for. */
export async function within<T>(limit: WorkLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const cancellation = new Cancellation(limit.signals, limit);
  const { signal } = cancellation;
  try {
    signal.throwIfAborted();
    return await unlessAborted(signal, work(signal));
  } finally {
    cancellation.end();
  }
}

/** Returns the result of `work`, or rejects with the signal's reason when it aborts first; a late result is ignored. */
export function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(reasonOf(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    // Whichever comes first settles the promise; a later result is ignored. The listener is removed, as the signal may live much longer.
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
