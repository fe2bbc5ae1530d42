import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { SAME_FAILURE_MS } from '../limits.js';

/** Runs steps that are tried again later when they fail; a step that keeps failing is logged once a minute. */
export class Attempts {
  readonly #clock: Clock;
  readonly #log: Log;
  /** When the failure of each step was logged last. */
  readonly #loggedMs = new Map<string, number>();

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Returns whether the step succeeded. */
  async run(step: string, run: () => Promise<unknown>): Promise<boolean> {
    try {
      await run();
      this.#loggedMs.delete(step);
      return true;
    } catch (error) {
      const nowMs = this.#clock.monotonicMs();
      if (nowMs - (this.#loggedMs.get(step) ?? -Infinity) >= SAME_FAILURE_MS) {
        this.#loggedMs.set(step, nowMs);
        this.#log.warn({ err: error, step }, 'a step of the ADB relays failed and will be tried again');
      }
      return false;
    }
  }
}
