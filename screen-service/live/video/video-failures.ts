import type { Clock } from '../../../kit/async/clock.js';

/** After a failure the phone counts as one without video for `REST_MS`. After `MAX_FAILURES` failures, it does so for good. */
const REST_MS = 60_000;
const MAX_FAILURES = 3;
/** A run that showed pictures for longer than this has worked, ms. Failures before such a run no longer count. */
const WORKED_MS = 30_000;

/** Counts the failures of a phone's video, to decide whether it is tried again and to report why there is none now. */
export class VideoFailures {
  readonly #clock: Clock;
  #count = 0;
  #restUntilMs = -Infinity;
  #latest: { error: Error; atMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get mayTry(): boolean {
    return this.#count < MAX_FAILURES && this.#clock.monotonicMs() >= this.#restUntilMs;
  }

  /** Why there is no picture, and for how long, ms; undefined while there are pictures. */
  get failing(): { error: Error; forMs: number } | undefined {
    return this.#latest && { error: this.#latest.error, forMs: this.#clock.monotonicMs() - this.#latest.atMs };
  }

  /** Adds a failure. `sinceMs`: since when there were pictures, monotonic; undefined: there were none. */
  add(error: unknown, sinceMs: number | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    if (sinceMs !== undefined && nowMs - sinceMs > WORKED_MS) this.#count = 0;
    // After a first failure of a run that has shown pictures, there is no rest: the present viewers get the next run at once.
    if (sinceMs === undefined || this.#count > 0) this.#restUntilMs = nowMs + REST_MS;
    this.#count++;
    this.#latest ??= { error: error instanceof Error ? error : new Error(String(error)), atMs: nowMs };
  }

  /** Is called when there is a picture, or nobody waits for one. */
  over(): void {
    this.#latest = undefined;
  }
}
