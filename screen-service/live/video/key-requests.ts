import type { Clock, Timer } from '../../../kit/async/clock.js';

/** The shortest time between requests for viewers that were too slow, ms. Each request costs all viewers the bytes of a key frame. */
const SLOW_EVERY_MS = 1_000;

/** Requests key frames when they are wanted, with a shortest time between two requests. */
export class KeyRequests {
  readonly #clock: Clock;
  readonly #request: () => boolean;
  #lastMs = -Infinity;
  #due: { timer: Timer; atMs: number } | undefined;

  /** `request` requests a key frame if somebody needs one. It returns whether it has requested one. */
  constructor(clock: Clock, request: () => boolean) {
    this.#clock = clock;
    this.#request = request;
  }

  /**
   * Requests a key frame once `everyMs` have passed since the latest request. The request is repeated while somebody needs a key frame: an
   * encoder that was about to end may have lost it.
   */
  want(everyMs = SLOW_EVERY_MS): void {
    const atMs = this.#lastMs + everyMs;
    if (this.#due !== undefined && this.#due.atMs <= atMs) return;
    this.cancel();
    const send = (): void => {
      this.#due = undefined;
      const nowMs = this.#clock.monotonicMs();
      if (!this.#request()) return;
      this.#lastMs = nowMs;
      this.want();
    };
    this.#due = { timer: this.#clock.after(Math.max(0, atMs - this.#clock.monotonicMs()), send), atMs };
  }

  cancel(): void {
    this.#due?.timer.cancel();
    this.#due = undefined;
  }
}
