import type { Clock, Timer } from '../kit/async/clock.js';

/** A clock that a test turns. */
export class FakeClock implements Clock {
  #nowMs = 0;
  readonly #startMs: number;
  #timers: { dueMs: number; run: () => void }[] = [];

  /**
   * `startMs`: wall-clock time at the beginning, ms since the epoch. The default is years ahead of real time. A database
   * removes expired documents by the real clock, and must remove none of a test's documents.
   */
  constructor(startMs = Date.UTC(2037, 0, 15, 9, 30)) {
    this.#startMs = startMs;
  }

  now(): number {
    return this.#startMs + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(ms: number, run: () => void): Timer {
    const entry = { dueMs: this.#nowMs + Math.max(0, ms), run };
    this.#timers.push(entry);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((other) => other !== entry);
      },
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (): void => {
        timer.cancel();
        reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      const timer = this.after(ms, () => {
        signal?.removeEventListener('abort', fail);
        resolve();
      });
      if (signal?.aborted === true) fail();
      else signal?.addEventListener('abort', fail, { once: true });
    });
  }

  /** How many timers wait. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Runs every timer that is due in the next `ms`, in order, each at its own time. */
  turn(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const next = this.#timers
        .filter(({ dueMs }) => dueMs <= endMs)
        .reduce<{ dueMs: number; run: () => void } | undefined>(
          (soonest, timer) => (soonest === undefined || timer.dueMs < soonest.dueMs ? timer : soonest),
          undefined,
        );
      if (!next) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.run();
    }
    this.#nowMs = endMs;
  }

  /** Turns in small steps and lets promises run between them, for code that sleeps several times. */
  async pass(ms: number, stepMs = 50): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      await settled();
      this.turn(Math.min(stepMs, ms - passedMs));
      await settled();
    }
  }
}

/** Resolves when the callbacks of all promises that are settled by now have run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
