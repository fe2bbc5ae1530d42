import { setMaxListeners } from 'node:events';
import type { Clock, Timer } from './clock.js';

export interface TimeLimit {
  clock: Clock;
  /** Infinity: no limit of time. */
  timeoutMs: number;
  /** Each ends the work early with its reason: the client has gone, a connection broke. Absent ones are ignored. */
  signals?: readonly (AbortSignal | undefined)[];
  /** Returns the error for the end of the time. */
  onTimeout: () => Error;
}

/**
 * The early end of work: `signal` aborts when the time is over, or one of the given signals aborts. The holder calls `end`.
 *
 * Not AbortSignal.any: its signals are kept for as long as the ones they come from, which may be for ever. The signal is made at the
 * first access, as it costs more than all the rest, and a request that is refused at once needs none.
 */
export class Limited {
  readonly #timer: Timer | undefined;
  readonly #outer: AbortSignal[] = [];
  readonly #onEnd = new Set<(reason: Error) => void>();
  #controller: AbortController | undefined;
  #endedBy: Error | undefined;

  constructor({ clock, timeoutMs, signals = [], onTimeout }: TimeLimit) {
    if (timeoutMs !== Infinity) this.#timer = clock.after(timeoutMs, () => this.abort(onTimeout()));
    for (const signal of signals) {
      if (signal === undefined) continue;
      if (signal.aborted) this.abort(reasonOf(signal));
      this.#outer.push(signal);
      signal.addEventListener('abort', this.#onOuterAbort);
    }
  }

  get signal(): AbortSignal {
    this.#controller ??= sharedAbort();
    if (this.#endedBy !== undefined) this.#controller.abort(this.#endedBy);
    return this.#controller.signal;
  }

  /** Why the signal is aborted; undefined while it is not. */
  get endedBy(): Error | undefined {
    return this.#endedBy;
  }

  abort(reason: Error): void {
    this.#endedBy ??= reason;
    this.#controller?.abort(reason);
    for (const onEnd of this.#onEnd) onEnd(this.#endedBy);
  }

  /** The same as `unlessAborted`, without a signal. */
  unlessEnded<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#endedBy !== undefined) reject(this.#endedBy);
      this.#onEnd.add(reject);
      work.then(resolve, reject).finally(() => this.#onEnd.delete(reject));
    });
  }

  /** Stops the timer and the listeners. Safe to call any number of times. */
  end(): void {
    this.#timer?.cancel();
    for (const signal of this.#outer) signal.removeEventListener('abort', this.#onOuterAbort);
  }

  readonly #onOuterAbort = ({ target }: Event): void => this.abort(reasonOf(target as AbortSignal));
}

/** Runs `work` with a time limit; a late result is ignored. `work` gets a signal that aborts when it is no longer waited for. */
export async function within<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limited = new Limited(limit);
  const { signal } = limited;
  try {
    signal.throwIfAborted();
    return await unlessAborted(signal, work(signal));
  } finally {
    limited.end();
  }
}

/** Returns the result of `work`, or rejects with the signal's reason when it aborts first; a late result is ignored. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(reasonOf(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    // Each settles the promise once; a later result is ignored. The listener is removed, as the signal may live much longer.
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** A controller whose signal many pieces of work have at the same time: Node takes more than ten listeners for a leak, and warns. */
export function sharedAbort(): AbortController {
  const controller = new AbortController();
  // 0 means the same, but then getMaxListeners, which undici calls, throws in Node 20.
  setMaxListeners(Infinity, controller.signal);
  return controller;
}

function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
