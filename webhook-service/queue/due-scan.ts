import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Clock, Timer } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import type { WebhookLimits } from '../limits.js';
import type { DeliveryStore } from '../store/deliveries.js';
import type { ReceiverQueues } from './receiver-queues.js';

export interface DueScanOptions {
  deliveries: DeliveryStore;
  clock: Clock;
  log: Log;
  limits: WebhookLimits;
  /** Receives the due deliveries. */
  queues: ReceiverQueues;
  /** Called after deliveries were added to the queues. */
  found: () => void;
}

/**
 * Scans the database for due deliveries, also those of other instances. A scan begins `claimEarlyMs` before the next known delivery is due,
 * and at least every `pollMs`. Each scan overlaps the previous one a little. Every `sweepMs` a scan covers everything due.
 */
export class DueScan {
  readonly #options: DueScanOptions;
  /** The next scan: wall clock, ms. */
  #timer: { dueMs: number; timer: Timer } | undefined;
  #scanning: Promise<void> | undefined;
  /** Something became due during the scan; scan again. */
  #scanAgain = false;
  /** When the last scan began, the due time up to which deliveries were seen, and when the last sweep began: wall clock, ms. */
  #scannedMs = 0;
  #seenToMs = 0;
  #sweptMs = 0;
  #closed = false;

  constructor(options: DueScanOptions) {
    this.#options = options;
  }

  /** Scans at `dueMs`, wall clock; 0: as soon as `scanSpacingMs` allows. */
  scanAt(dueMs: number): void {
    if (this.#closed || (this.#timer !== undefined && this.#timer.dueMs <= dueMs)) return;
    this.#timer?.timer.cancel();
    const { clock, limits } = this.#options;
    const nowMs = clock.now();
    // A clock that was set back must not put the scan off.
    const atMs = Math.max(dueMs, Math.min(this.#scannedMs, nowMs) + limits.scanSpacingMs);
    const timer = clock.after(Math.max(0, atMs - nowMs), () => {
      this.#timer = undefined;
      if (this.#scanning !== undefined) this.#scanAgain = true;
      else this.#scanning = begunAhead(this.#scan());
    });
    this.#timer = { dueMs, timer };
  }

  /** Resolves when the scan under way has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.timer.cancel();
    await this.#scanning;
  }

  async #scan(): Promise<void> {
    const { deliveries, clock, limits, log, queues, found } = this.#options;
    const nowMs = clock.now();
    const sweep = nowMs - this.#sweptMs >= limits.sweepMs || nowMs < this.#scannedMs;
    let nextMs = nowMs + limits.pollMs;
    try {
      const to = new Date(nowMs + limits.claimEarlyMs);
      const from = new Date(sweep ? 0 : this.#seenToMs - limits.scanOverlapMs);
      for await (const due of deliveries.findDue(from, to)) queues.add(due);
      found();
      const needsMore = await this.#feed(to);
      this.#scannedMs = nowMs;
      this.#seenToMs = to.getTime();
      if (sweep) this.#sweptMs = nowMs;
      const nextAt = (await deliveries.findNextAt(to))?.getTime();
      nextMs = needsMore ? nowMs : Math.min((nextAt ?? Infinity) - limits.claimEarlyMs, nextMs);
    } catch (error) {
      log.error({ err: error }, 'could not scan for due deliveries');
    } finally {
      this.#scanning = undefined;
      found();
      this.scanAt(this.#scanAgain ? nowMs : nextMs);
      this.#scanAgain = false;
    }
  }

  /** Refills queues of which the database has more. Returns whether there were any. */
  async #feed(to: Date): Promise<boolean> {
    const { deliveries, limits, queues, found } = this.#options;
    const limit = limits.waitingPerReceiver * 2;
    const urls = queues.needsMore();
    for (const url of urls) {
      const due = await deliveries.findDueOf(url, to, limit);
      queues.refilled(url, due.length === limit);
      for (const delivery of due) queues.add(delivery);
      found();
    }
    return urls.length > 0;
  }
}
