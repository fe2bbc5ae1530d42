import type { Clock } from '../async/clock.js';

/**
 * How long this process may work as the owner of a lease. Others compare the end in the database with their wall clocks. The owner measures
 * by its monotonic clock, from before the write that moved the end. So neither a slow write nor a changed wall clock makes it stop too late.
 */
export class LeaseTerm {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  #renewedMs = -Infinity;
  #steadySinceMs = -Infinity;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  /**
   * Claims or renews the lease, and returns what `write` returned. `write` stores the end that it gets as its argument. It returns a falsy
   * value when another process has the lease, which ends the term. When `write` throws, the lease may be renewed or not. The term then goes
   * on unchanged.
   */
  async renew<T>(write: (leaseUntil: Date) => Promise<T>): Promise<T> {
    const begunMs = this.#clock.monotonicMs();
    const written = await write(new Date(this.#clock.now() + this.#leaseMs));
    if (!written) {
      this.#renewedMs = -Infinity;
      return written;
    }
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#renewedMs > this.#leaseMs) this.#steadySinceMs = nowMs;
    this.#renewedMs = Math.max(this.#renewedMs, begunMs);
    return written;
  }

  /** How long this process certainly still has the lease, ms. At 0 or below, another process may have it. */
  get leftMs(): number {
    return this.#renewedMs + this.#leaseMs - this.#clock.monotonicMs();
  }

  /** How long the lease has been renewed without a break, ms. For so long, this process knows that the database works. */
  get steadyMs(): number {
    return this.#clock.monotonicMs() - this.#steadySinceMs;
  }
}
