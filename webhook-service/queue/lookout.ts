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
  /** Receives the due deliveries. */
  lanes: Lanes;
  /** Called after deliveries were added to the lanes. */
  found: () => void;
}

/**
 * Scans the database for due deliveries, also those of other instances: a moment before the next known delivery is due, and at
 * least every `pollMs`. A scan overlaps the one before a little; every `sweepMs` one covers everything due.
 */
export class Lookout {
  readonly #options: LookoutOptions;
  /** The next scan: wall clock, ms. */
  #timer: { dueMs: number; timer: Timer } | undefined;
  #looking: Promise<void> | undefined;
  /** Something became due during the scan; scan again. */
  #lookAgain = false;
  /** When the last scan and the last sweep began, and up to which due time everything has been seen: wall clock, ms. */
  #lookedMs = 0;
  #seenToMs = 0;
  #sweptMs = 0;
  #closed = false;

  constructor(options: LookoutOptions) {
    this.#options = options;
  }

  /** Scans at `dueMs`, wall clock; 0: as soon as `lookSpacingMs` allows. */
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

  /** Resolves when the scan under way has ended. */
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

  /** Refills lanes of which the database has more. Returns whether there were any. */
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
