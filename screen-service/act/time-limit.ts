import type { Clock } from '../../kit/clock.js';

/** The time that a caller allows, as a signal for commands. The caller's own going away is another matter: it throws. */
export class TimeLimit {
  readonly untilMs: number;
  readonly callerSignal: AbortSignal;
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  readonly #timer: { cancel(): void };
  readonly #onAbort: () => void;

  /** `untilMs`: monotonic. The holder calls `cancel`. */
  constructor(clock: Clock, untilMs: number, callerSignal: AbortSignal) {
    this.#clock = clock;
    this.untilMs = untilMs;
    this.callerSignal = callerSignal;
    this.#timer = clock.after(Math.max(0, untilMs - clock.monotonicMs()), () => this.#abort.abort(timeUp()));
    this.#onAbort = () => this.#abort.abort(callerSignal.reason);
    callerSignal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  isUp(): boolean {
    this.callerSignal.throwIfAborted();
    return this.#abort.signal.aborted || this.#clock.monotonicMs() >= this.untilMs;
  }

  throwIfUp(): void {
    if (this.isUp()) throw timeUp();
  }

  /** Rejects when the time is up first. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    work.catch(() => undefined); // Fails unobserved when the time was up first.
    signal.throwIfAborted();
    let stop: (() => void) | undefined;
    const cut = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([work, cut]);
    } finally {
      if (stop !== undefined) signal.removeEventListener('abort', stop);
    }
  }

  cancel(): void {
    this.#timer.cancel();
    this.callerSignal.removeEventListener('abort', this.#onAbort);
  }
}

function timeUp(): Error {
  return new Error('the time that the caller allows is up');
}
