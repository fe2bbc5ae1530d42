import type { Clock, Timer } from '../../kit/async/clock.js';

/** The timers of open activities, which are cancelled with their activities. `pendingEndMs` covers the timers that change the picture. */
export class AppTimers {
  readonly #clock: Clock;
  readonly #pending = new Map<Timer, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time of the last awaited change, monotonic; undefined when none is awaited. */
  get pendingEndMs(): number | undefined {
    return this.#pending.size === 0 ? undefined : Math.max(...this.#pending.values());
  }

  later(ms: number, run: () => void, life: AbortSignal, pending: boolean): Timer {
    const inner = this.#clock.after(ms, () => {
      end();
      run();
    });
    const cancel = (): void => {
      inner.cancel();
      end();
    };
    const timer: Timer = { cancel };
    const end = (): void => {
      this.#pending.delete(timer);
      life.removeEventListener('abort', cancel);
    };
    if (life.aborted) {
      inner.cancel();
      return timer;
    }
    if (pending) this.#pending.set(timer, this.#clock.monotonicMs() + ms);
    life.addEventListener('abort', cancel, { once: true });
    return timer;
  }
}
