import type { Clock, Timer } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { WebhookLimits } from '../limits.js';
import type { DeliveryStore } from '../store/deliveries.js';
import type { Lanes } from './lanes.js';

export interface LookoutOptions {
  deliveries: DeliveryStore;
  clock: Clock;
  log: Log;
  limits: WebhookLimits;
  /** Where what is found goes. */
  lanes: Lanes;
  /** Called after some was put there. */
  found: () => void;
}

/**
 * Finds in the database what has become due, whoever made it so: a moment before the next delivery is due by what is known, and
 * at least every `pollMs`. A look begins a little before the last one; a sweep, now and then, sees everything due.
 */
export class Lookout {
  readonly #options: LookoutOptions;
  /** What the timer is for: wall clock, ms. */
  #timer: { dueMs: number; timer: Timer } | undefined;
  #looking: Promise<void> | undefined;
  /** The timer went off during a look, which may have passed by what it was for. */
  #lookAgain = false;
  /** When the last look and the last sweep began, and up to when everything has been seen: wall clock, ms. */
  #lookedMs = 0;
  #seenToMs = 0;
  #sweptMs = 0;
  #closed = false;

  constructor(options: LookoutOptions) {
    this.#options = options;
  }

  /** Looks at `dueMs`, wall clock; 0 for at once. Soon after the last look when that was only just now. */
  lookAt(dueMs: number): void {
    if (this.#closed || (this.#timer !== undefined && this.#timer.dueMs <= dueMs)) return;
    this.#timer?.timer.cancel();
    const { clock, limits } = this.#options;
    const atMs = Math.max(dueMs, this.#lookedMs + limits.lookSpacingMs);
    const timer = clock.after(Math.max(0, atMs - clock.now()), () => {
      this.#timer = undefined;
      if (this.#looking !== undefined) this.#lookAgain = true;
      else this.#looking = this.#look();
    });
    this.#timer = { dueMs, timer };
  }

  /** Resolves when the look under way has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.timer.cancel();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { deliveries, clock, limits, log, lanes, found } = this.#options;
    const nowMs = clock.now();
    const sweep = nowMs - this.#sweptMs >= limits.sweepMs || nowMs < this.#lookedMs;
    let nextMs = nowMs + limits.pollMs;
    try {
      const to = new Date(nowMs + limits.claimEarlyMs);
      const from = new Date(sweep ? 0 : this.#seenToMs - limits.lookOverlapMs);
      for await (const due of deliveries.findDue(from, to)) lanes.add(due);
      found();
      const hungry = await this.#feed(to);
      this.#lookedMs = nowMs;
      this.#seenToMs = to.getTime();
      if (sweep) this.#sweptMs = nowMs;
      const nextAt = (await deliveries.findNextAt(to))?.getTime();
      nextMs = hungry ? nowMs : Math.min((nextAt ?? Infinity) - limits.claimEarlyMs, nextMs);
    } catch (error) {
      log.error({ err: error }, 'could not look for due deliveries');
    } finally {
      this.#looking = undefined;
      found();
      this.lookAt(this.#lookAgain ? nowMs : nextMs);
      this.#lookAgain = false;
    }
  }

  /** Fills up lanes of which the database has more. Answers whether some still lack. */
  async #feed(to: Date): Promise<boolean> {
    const { deliveries, limits, lanes, found } = this.#options;
    const limit = limits.waitingPerReceiver * 2;
    const urls = lanes.hungry();
    for (const url of urls) {
      const due = await deliveries.findDueOf(url, to, limit);
      lanes.fed(url, due.length === limit);
      for (const delivery of due) lanes.add(delivery);
      found();
    }
    return urls.length > 0;
  }
}
