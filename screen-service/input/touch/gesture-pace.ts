import type { Clock } from '../../../kit/clock.js';

/** A touch is held back for this long at the most, ms (the contract's figure, as for a pause). */
const INTERVAL_MOST_MS = 10_000;

/** Touches that are this far apart, with no finger down between them, are no double tap: the later one need not wait, ms. */
const APART_MS = 500;

/**
 * Holds touches back until they are as far apart as their sender's times say. Those that were held up on their way, and then arrive
 * together, would else be shorter or longer gestures than the sender made.
 */
export class GesturePace {
  readonly #clock: Clock;
  #last: { atMs: number; sentMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a touch may be sent, which its sender made `atMs` on a clock of its own. Undefined: it is not timed. */
  async turn(atMs: number | undefined, { isHeld, signal }: { isHeld: boolean; signal: AbortSignal }): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    if (atMs === undefined) return;
    const intervalMs = last === undefined ? 0 : atMs - last.atMs;
    if (last !== undefined && (isHeld || intervalMs <= APART_MS)) {
      const waitMs = last.sentMs + Math.min(intervalMs, INTERVAL_MOST_MS) - this.#clock.monotonicMs();
      if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
    }
    this.#last = { atMs, sentMs: this.#clock.monotonicMs() };
  }

  /** The fingers are another sender's: its times are of another clock. */
  reset(): void {
    this.#last = undefined;
  }
}
