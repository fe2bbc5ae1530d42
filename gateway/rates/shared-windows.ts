import type { Db } from 'mongodb';
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../../kit/clock.js';
import { FixedWindows, type WindowCount } from '../../kit/fixed-windows.js';
import type { Log } from '../../kit/log.js';
import { forCounters } from '../../kit/mongo.js';
import { type OpenWindows, RATE_WINDOW_MS, type RateWindows } from './rate-windows.js';

/**
 * Windows that several gateways share through the database: one write for a request. A key that is over its limit is refused from
 * memory until its window ends, so a flood stops at the edge. While the database is away each gateway counts for itself: limits then
 * hold for each of them, and nobody is refused for our trouble. The gateways' clocks are assumed to agree, as by NTP.
 */
export function windowsShared(database: Db, clock: Clock, log: Log): OpenWindows {
  return (name, limit) => {
    const limiter = new RateLimiterMongo({
      storeClient: forCounters(database),
      tableName: 'rate_windows',
      keyPrefix: name,
      points: limit,
      duration: RATE_WINDOW_MS / 1000,
      inMemoryBlockOnConsumed: limit + 1,
    });
    return new SharedWindows(limiter, limit, new FixedWindows({ clock, windowMs: RATE_WINDOW_MS }), log);
  };
}

class SharedWindows implements RateWindows {
  readonly #limiter: RateLimiterMongo;
  readonly #limit: number;
  readonly #own: FixedWindows;
  readonly #log: Log;

  constructor(limiter: RateLimiterMongo, limit: number, own: FixedWindows, log: Log) {
    this.#limiter = limiter;
    this.#limit = limit;
    this.#own = own;
    this.#log = log;
  }

  async count(key: string): Promise<WindowCount> {
    try {
      const { consumedPoints, msBeforeNext } = await this.#limiter.consume(key);
      return { count: consumedPoints, resetMs: Math.max(1, msBeforeNext) };
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) {
        return { count: this.#limit + 1, resetMs: Math.max(1, refusal.msBeforeNext) };
      }
      this.#log.warn({ err: refusal }, 'the shared rate limits cannot be reached; counting alone');
      return this.#own.count(key);
    }
  }
}
