import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';

/** Longest time that counting in the database may add to a request, ms. */
const LONGEST_WAIT_MS = 1_000;

/** How long this gateway then counts alone before it tries the database again, ms. */
const ALONE_MS = 5_000;

export interface SharedCountersOptions {
  clock: Clock;
  log: Log;
  /** Run once, before the first use, and again after it failed. */
  prepare: () => Promise<void>;
}

/**
 * Access to the counters in the database that never makes a request wait for long: after one failure, or one that took too long, they
 * are left alone for a while, and then tried by a single request while all others are counted in memory.
 */
export class SharedCounters {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #prepare: () => Promise<void>;
  #prepared: Promise<void> | undefined;
  /** By the monotonic clock; undefined while the database responds. */
  #aloneUntilMs: number | undefined;

  constructor({ clock, log, prepare }: SharedCountersOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#prepare = prepare;
  }

  /** Returns the result of `work`, or undefined while the database is away. */
  async use<T>(work: () => Promise<T>): Promise<T | undefined> {
    const wasAlone = this.#aloneUntilMs !== undefined;
    if (this.#aloneUntilMs !== undefined) {
      if (this.#clock.monotonicMs() < this.#aloneUntilMs) return undefined;
      // This request tries; those that come meanwhile do not.
      this.#stayAlone();
    }
    try {
      const result = await this.#inTime(this.#whenPrepared().then(work));
      if (wasAlone) this.#log.info('the shared rate limits can be reached again');
      this.#aloneUntilMs = undefined;
      return result;
    } catch (error) {
      // Once for each outage and not for each request.
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

  /** A result that comes too late is ignored: the request was counted in memory by then. */
  #inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(LONGEST_WAIT_MS, () =>
        reject(new Error(`the database did not count a request within ${LONGEST_WAIT_MS} ms`)),
      );
      work.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}
