import type { Clock } from '../../../kit/async/clock.js';

/** The longest time that a touch is held back, ms. The API names this figure, and has the same limit for a pause. */
const MAX_INTERVAL_MS = 10_000;

/** Two touches that are further apart, without a finger down between them, are no double tap, ms. The later one need not wait. */
const APART_MS = 500;

/**
 * Holds touches back until they are as far apart as the sender's times say. The network may delay touches and deliver them together.
 * Without the wait, the gesture would be shorter or longer than the one that the sender made.
 */
export class GesturePace {
  readonly #clock: Clock;
  #last: { atMs: number; sentMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a touch may be sent. `atMs` is the time of the touch on the sender's clock. Undefined: the touch has no time. */
  async turn(atMs: number | undefined, { isHeld, signal }: { isHeld: boolean; signal: AbortSignal }): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    if (atMs === undefined) return;
    const intervalMs = last === undefined ? 0 : atMs - last.atMs;
    if (last !== undefined && (isHeld || intervalMs <= APART_MS)) {
      const waitMs = last.sentMs + Math.min(intervalMs, MAX_INTERVAL_MS) - this.#clock.monotonicMs();
      if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
    }
    this.#last = { atMs, sentMs: this.#clock.monotonicMs() };
  }

  /** Forgets the last touch. Call it for another sender, whose times are of another clock. */
  reset(): void {
    this.#last = undefined;
  }
}
