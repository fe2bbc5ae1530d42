import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Clock, Timer } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { Cancellation } from '../../kit/async/within.js';
import type { WebhookLimits } from '../limits.js';
import type { WebhookMetrics } from '../metrics.js';
import { sendAttempt, type SendParts } from '../sending/send-attempt.js';
import type { AttemptEnd, DeliveryStore, DueDelivery, NextState } from '../store/deliveries.js';
import type { AttemptRecord, DeliveryDocument } from '../store/delivery-document.js';
import { ReceiverQueues } from './receiver-queues.js';
import { DueScan } from './due-scan.js';

export interface DeliveryWorkerOptions {
  deliveries: DeliveryStore;
  send: SendParts;
  clock: Clock;
  log: Log;
  metrics: WebhookMetrics;
  limits: WebhookLimits;
  /** Unique to this process. */
  workerId: string;
}

/** How long to wait before an attempt's end is written again, when the database did not take it, ms. */
const REWRITE_MS = 200;

/**
 * Carries deliveries to their receivers. The queue is the database: a delivery is claimed by one update that sets a new fence and the end
 * of the lease. The process that claimed a delivery names that fence in every later write, so it changes nothing once it has lost the
 * claim. kit/db/leases.ts is not used, as one write claims or ends many deliveries. A lease is not renewed, as an attempt ends before its
 * lease does. A process that dies leaves its claims to lapse, and the instance that finds them makes the same attempt again, under the same
 * number. An attempt is counted only when its outcome is written, so a crash uses up none of the allowed attempts.
 *
 * What happens after a crash:
 * - Before an event's deliveries are written: its publisher publishes it again.
 * - After they are written: each delivery is claimed or due, and any instance finds it.
 * - After a claim or an attempt: the claim lapses.
 * - After the end of the attempt is written: nothing is left to do.
 */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #queues: ReceiverQueues;
  readonly #dueScan: DueScan;
  readonly #running = new Set<Promise<void>>();
  /** Aborts the attempts that are still under way `closeMs` after the close began. */
  readonly #cutting = new Cancellation();
  /** Deliveries that are claimed and will be due in a moment. */
  readonly #early = new Map<DeliveryDocument, Timer>();
  #claims = 0;
  #claiming = false;
  #closed = false;

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
    this.#queues = new ReceiverQueues(options.limits);
    this.#dueScan = new DueScan({ ...options, queues: this.#queues, found: () => this.#pump() });
  }

  /** The attempts under way, and those whose end is being written. */
  get running(): number {
    return this.#queues.held;
  }

  /** Begins with the deliveries that are due already. */
  start(): void {
    this.#dueScan.scanAt(0);
  }

  /**
   * Writes down new deliveries and begins their first attempts at once. A delivery that can be sent at once is written as claimed, so it
   * costs one write and no scan. Resolves when the deliveries are stored, before the attempts end.
   */
  async post(deliveries: readonly DeliveryDocument[]): Promise<void> {
    const posted = Promise.allSettled(deliveries.map((delivery) => this.#post(delivery)));
    // The work is tracked, so that a close waits for these writes and for the attempts that they begin.
    this.#track(posted.then(() => this.#pump()));
    const outcomes = await posted;
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** Takes up a delivery that has become due in the database. */
  notice(delivery: DueDelivery): void {
    this.#queues.add(delivery);
    this.#pump();
  }

  /** Takes no more deliveries. Attempts under way may end within `closeMs`, and the other claimed deliveries are given back. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const scanned = begunAhead(this.#dueScan.close());
    for (const [delivery, timer] of this.#early) {
      timer.cancel();
      this.#queues.keep(delivery);
    }
    this.#early.clear();
    const cut = this.#options.clock.after(this.#options.limits.closeMs, () => {
      this.#cutting.abort(new Error('the delivery worker is closing'));
    });
    await scanned;
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    // These deliveries were claimed and did not get their turn.
    await Promise.all(this.#queues.clear().map((delivery) => this.#release(delivery)));
    cut.cancel();
  }

  async #post(delivery: DeliveryDocument): Promise<void> {
    const { deliveries, clock, limits } = this.#options;
    const now = clock.now();
    if (this.#closed || !this.#queues.mayClaimNew(delivery)) {
      const outcome = await deliveries.insert({ ...delivery, nextAt: new Date(now) });
      if (outcome === 'inserted') this.#queues.add(delivery);
      return;
    }
    const claimed = { ...delivery, claim: this.#newFence(), nextAt: new Date(now + limits.leaseMs) };
    let outcome: 'inserted' | 'known' | undefined;
    try {
      outcome = await deliveries.insert(claimed);
    } finally {
      if (outcome === 'inserted') this.#queues.keep(claimed);
      else this.#queues.dismiss(claimed);
    }
  }

  /** Begins the attempts whose turn it is, and claims the next due deliveries, many by one write. */
  #pump(): void {
    if (this.#closed) return;
    for (const delivery of this.#queues.takeTurns()) this.#track(this.#carry(delivery));
    // While a claim is under way, due deliveries gather for the next claim.
    if (this.#claiming) return;
    const due = this.#queues.takeDue(this.#options.limits.claimBatch);
    if (due.length === 0) return;
    this.#claiming = true;
    this.#track(
      this.#claim(due).finally(() => {
        this.#claiming = false;
        this.#pump();
      }),
    );
  }

  async #claim(due: readonly DueDelivery[]): Promise<void> {
    const { deliveries, clock, limits, log } = this.#options;
    let claimed: DeliveryDocument[] = [];
    try {
      const now = clock.now();
      const ids = due.map(({ _id }) => _id);
      claimed = await deliveries.claim(
        ids,
        this.#newFence(),
        new Date(now + limits.claimEarlyMs),
        new Date(now + limits.leaseMs),
      );
    } catch (error) {
      // The write may have claimed deliveries before it failed. These claims lapse, and the next sweep finds the other deliveries.
      log.error({ err: error }, 'could not claim deliveries');
    }
    const ours = new Map(claimed.map((delivery) => [delivery._id, delivery]));
    for (const one of due) {
      const delivery = ours.get(one._id);
      // A redelivery may have given the delivery another URL, and so another queue: its claim lapses.
      if (delivery?.url !== one.url) this.#queues.dismiss(one);
      else this.#keepFromDue(delivery);
    }
  }

  /** Gives a claimed delivery its turn when it is due, never before. */
  #keepFromDue(delivery: DeliveryDocument): void {
    const { clock } = this.#options;
    const earlyMs = (delivery.dueAt?.getTime() ?? 0) - clock.now();
    if (earlyMs <= 0 || this.#closed) {
      this.#queues.keep(delivery);
      return;
    }
    const timer = clock.after(earlyMs, () => {
      this.#early.delete(delivery);
      // Timers may go off a little before their time.
      this.#keepFromDue(delivery);
      this.#pump();
    });
    this.#early.set(delivery, timer);
  }

  async #carry(delivery: DeliveryDocument): Promise<void> {
    const { send, metrics, clock, log } = this.#options;
    if (this.#isLate(delivery)) {
      await this.#giveBack(delivery);
      return;
    }
    if (delivery.made === 0) metrics.firstAttempt((clock.now() - delivery.createdAt.getTime()) / 1000);
    const sent = await sendAttempt(send, delivery, this.#cutting.signal);
    if (sent === undefined) {
      await this.#giveBack(delivery);
      return;
    }
    const { record, response, endedMs } = sent;
    this.#queues.attemptEnded(delivery.url, record.ms <= this.#options.limits.quickMs);
    this.#pump();
    try {
      metrics.attempt(record);
      log.debug(
        { delivery: delivery._id, event: delivery.event, attempt: delivery.made + 1, ...shown(record) },
        'attempt',
      );
      const end = { ...this.#endOf(delivery, record, endedMs), record, response };
      await this.#write(delivery, end);
      if (end.state === 'pending') this.#dueScan.scanAt(end.dueAt.getTime() - this.#options.limits.claimEarlyMs);
      if (end.state === 'failed') log.info({ delivery: delivery._id, key: delivery.keyId }, 'delivery failed');
    } catch (error) {
      log.error({ err: error, delivery: delivery._id }, 'could not write down an attempt; it will be made again');
    } finally {
      this.#queues.leave(delivery);
      this.#pump();
    }
  }

  /** Whether an attempt begun now could outlast its claim. */
  #isLate({ nextAt }: DeliveryDocument): boolean {
    const { clock, limits } = this.#options;
    return (nextAt?.getTime() ?? 0) - clock.now() < limits.responseTimeoutMs + limits.drainResponseMs;
  }

  async #giveBack(delivery: DeliveryDocument): Promise<void> {
    this.#queues.attemptEnded(delivery.url);
    await this.#release(delivery);
    this.#queues.leave(delivery);
    this.#dueScan.scanAt(0);
  }

  /** Never throws: a claim that is not given back lapses. */
  async #release(delivery: DeliveryDocument): Promise<void> {
    const { deliveries, log } = this.#options;
    try {
      await deliveries.release(delivery);
    } catch (error) {
      log.warn({ err: error, delivery: delivery._id }, 'could not give back a delivery; its claim lapses');
    }
  }

  #endOf(delivery: DeliveryDocument, record: AttemptRecord, endedMs: number): NextState {
    if (record.error === undefined) return { state: 'delivered' };
    if (delivery.left > 1) {
      const delays = this.#options.limits.retryDelaysMs;
      const delayMs = delays[delivery.made] ?? delays.at(-1) ?? 0;
      return { state: 'pending', dueAt: new Date(endedMs + delayMs) };
    }
    // A delivery that succeeded before stays delivered when its redelivery fails.
    const before = delivery.attempts.some(({ error }) => error === undefined);
    return { state: before ? 'delivered' : 'failed' };
  }

  /** Writes the end of an attempt. Tries again on failure while the claim lasts. */
  async #write(delivery: DeliveryDocument, end: AttemptEnd): Promise<void> {
    const { deliveries, clock } = this.#options;
    for (;;) {
      try {
        await deliveries.end(delivery, end);
        return;
      } catch (error) {
        const lapsesMs = (delivery.nextAt?.getTime() ?? 0) - clock.now();
        if (this.#closed || lapsesMs < REWRITE_MS) throw error;
        await clock.sleep(REWRITE_MS);
      }
    }
  }

  #newFence(): string {
    return `${this.#options.workerId}#${++this.#claims}`;
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    work
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'a delivery was left; its claim lapses'))
      .finally(() => this.#running.delete(work));
  }
}

function shown({ status, error, ms }: AttemptRecord): { status?: number; reason?: string; duration_ms: number } {
  return { ...(status !== undefined && { status }), ...(error !== undefined && { reason: error }), duration_ms: ms };
}
