import type { Db } from 'mongodb';
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../../kit/async/clock.js';
import { FixedWindows, type WindowCount } from '../../kit/async/fixed-windows.js';
import type { Log } from '../../kit/log/log.js';
import { forCounters } from '../../kit/db/mongo.js';
import { type OpenWindows, RATE_WINDOW_MS, type RateWindows } from './rate-windows.js';
import { SharedCounters } from './shared-counters.js';

const COLLECTION = 'rate_windows';

/**
 * Creates windows that several gateways share through the database, with one write for a request. A key that is over its limit is refused
 * from memory until its window ends, so a flood does not reach the database. While the database is away, each gateway counts for itself. A
 * limit then holds for each gateway alone, and nobody is refused because of the outage. The gateways' clocks must agree, for example by NTP.
 */
export function windowsShared(database: Db, clock: Clock, log: Log): OpenWindows {
  const counters = new SharedCounters({ clock, log, prepare: () => createIndexes(database) });
  return (name, limit) => {
    const limiter = new RateLimiterMongo({
      storeClient: forCounters(database),
      tableName: COLLECTION,
      keyPrefix: name,
      points: limit,
      duration: RATE_WINDOW_MS / 1000,
      inMemoryBlockOnConsumed: limit + 1,
      // The library would create the indexes once, at the start, and write a failure to the console.
      disableIndexesCreation: true,
    });
    return new SharedWindows(limiter, limit, new FixedWindows({ clock, windowMs: RATE_WINDOW_MS }), counters);
  };
}

/**
 * Creates two indexes. The unique index keeps one window per key, even if two gateways count a new key at the same time. The other index
 * removes windows that are over.
 */
async function createIndexes(database: Db): Promise<void> {
  const collection = database.collection(COLLECTION);
  await collection.createIndex({ key: 1 }, { unique: true }, {});
  await collection.createIndex({ expire: -1 }, { expireAfterSeconds: 0 }, {});
}

class SharedWindows implements RateWindows {
  readonly #limiter: RateLimiterMongo;
  readonly #limit: number;
  readonly #own: FixedWindows;
  readonly #counters: SharedCounters;

  constructor(limiter: RateLimiterMongo, limit: number, own: FixedWindows, counters: SharedCounters) {
    this.#limiter = limiter;
    this.#limit = limit;
    this.#own = own;
    this.#counters = counters;
  }

  async count(key: string): Promise<WindowCount> {
    return (await this.#counters.use(() => this.#consume(key))) ?? this.#own.count(key);
  }

  async #consume(key: string): Promise<WindowCount> {
    try {
      const { consumedPoints, msBeforeNext } = await this.#limiter.consume(key);
      return { count: consumedPoints, resetMs: Math.max(1, msBeforeNext) };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return { count: this.#limit + 1, resetMs: Math.max(1, refusal.msBeforeNext) };
    }
  }
}
