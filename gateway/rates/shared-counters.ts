import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';

/** Longest time that counting in the database may add to a request, ms. */
const MAX_WAIT_MS = 1_000;

/** How long this gateway counts in memory after a failure before it tries the database again, ms. */
const ALONE_MS = 5_000;

export interface SharedCountersOptions {
  clock: Clock;
  log: Log;
  /** Prepares the database. It runs once, before the first use, and again after it failed. */
  prepare: () => Promise<void>;
}

/**
 * Uses the counters in the database without making a request wait for long. After one failure, or one use that took too long, the
 * database is left alone for a while. Then a single request tries it, while all others are counted in memory.
 */
export class SharedCounters {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #prepare: () => Promise<void>;
  #prepared: Promise<void> | undefined;
  /** Until when this gateway counts alone, by the monotonic clock; undefined while the database responds. */
  #aloneUntilMs: number | undefined;

  constructor({ clock, log, prepare }: SharedCountersOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#prepare = prepare;
  }

  /** Returns the result of `work`. Undefined: the database failed or was too slow, now or a short time ago. */
  async use<T>(work: () => Promise<T>): Promise<T | undefined> {
    const wasAlone = this.#aloneUntilMs !== undefined;
    if (this.#aloneUntilMs !== undefined) {
      if (this.#clock.monotonicMs() < this.#aloneUntilMs) return undefined;
      // This request tries the database; requests that come meanwhile do not.
      this.#stayAlone();
    }
    try {
      const result = await this.#inTime(this.#whenPrepared().then(work));
      if (wasAlone) this.#log.info('the shared rate limits can be reached again');
      this.#aloneUntilMs = undefined;
      return result;
    } catch (error) {
      // This is logged once for each outage, and not for each request.
      if (this.#aloneUntilMs === undefined) {
        this.#log.warn({ err: error }, 'the shared rate limits cannot be reached; counting alone');
      }
      this.#stayAlone();
      return undefined;
    }
  }

  #stayAlone(): void {
    this.#aloneUntilMs = this.#clock.monotonicMs() + ALONE_MS;
  }

  #whenPrepared(): Promise<void> {
    this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  /** Rejects when `work` takes too long. Its late result is ignored, as the request was counted in memory by then. */
  #inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(MAX_WAIT_MS, () =>
        reject(new Error(`the database did not count a request within ${MAX_WAIT_MS} ms`)),
      );
      work.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}
