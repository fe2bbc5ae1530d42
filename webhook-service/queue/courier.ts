import type { Clock, Timer } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { sharedAbort } from '../../kit/within.js';
import type { WebhookLimits } from '../limits.js';
import type { WebhookMetrics } from '../metrics.js';
import { sendAttempt, type SendParts } from '../sending/send-attempt.js';
import type { AttemptEnd, DeliveryStore, DueDelivery, NextState } from '../store/deliveries.js';
import type { AttemptRecord, DeliveryDocument } from '../store/delivery-document.js';
import { Lanes } from './lanes.js';
import { DueScan } from './due-scan.js';

export interface CourierOptions {
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
 * Carries deliveries to their receivers. The queue is the database: a delivery is claimed by one update that names the claim and
 * a time until which it holds; a claimant's writes name its claim. A process that dies leaves its claims to lapse, and the
 * instance that finds them makes the same attempt again, under the same number. A number is counted only together with its outcome, so
 * three are never exceeded.
 *
 * A crash, line by line: before an event's deliveries are written, its publisher publishes again; after it, each is claimed or due,
 * and found by any instance; after a claim or an attempt, the claim lapses; after the end is written, nothing is left to do.
 */
export class Courier {
  readonly #options: CourierOptions;
  readonly #lanes: Lanes;
  readonly #dueScan: DueScan;
  readonly #running = new Set<Promise<void>>();
  /** Aborted when attempts under way have had their time at the close. */
  readonly #cutting = sharedAbort();
  /** Claimed, and due in a moment. */
  readonly #early = new Map<DeliveryDocument, Timer>();
  #claims = 0;
  #claiming = false;
  #closed = false;

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#lanes = new Lanes(options.limits);
    this.#dueScan = new DueScan({ ...options, lanes: this.#lanes, found: () => this.#pump() });
  }

  /** Attempts under way. */
  get running(): number {
    return this.#lanes.held;
  }

  /** Begins with the deliveries that are due already. */
  start(): void {
    this.#dueScan.scanAt(0);
  }

  /**
   * Writes down new deliveries and begins their first attempts at once: a delivery that can go on its way is written as claimed, so
   * that it costs one write and no scan. Durable when it returns; it does not wait for the attempts.
   */
  async post(deliveries: readonly DeliveryDocument[]): Promise<void> {
    const posted = Promise.allSettled(deliveries.map((delivery) => this.#post(delivery)));
    // So that a close waits for writes under way, and for the attempts that then begin.
    this.#track(posted.then(() => this.#pump()));
    const outcomes = await posted;
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** A delivery has become due in the database. */
  notice(delivery: DueDelivery): void {
    this.#lanes.add(delivery);
    this.#pump();
  }

  /** Takes no more, lets attempts under way end (bounded), and gives back the others. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const scanned = this.#dueScan.close();
    for (const [delivery, timer] of this.#early) {
      timer.cancel();
      this.#lanes.keep(delivery);
    }
    this.#early.clear();
    const cut = this.#options.clock.after(this.#options.limits.closeMs, () => {
      this.#cutting.abort(new Error('cut by the courier'));
    });
    await scanned;
    while (this.#running.size > 0) await Promise.all(this.#running);
    // Deliveries that were written as claimed and did not get their turn.
    await Promise.all(this.#lanes.clear().map((delivery) => this.#release(delivery)));
    cut.cancel();
  }

  async #post(delivery: DeliveryDocument): Promise<void> {
    const { deliveries, clock, limits } = this.#options;
    const now = clock.now();
    if (this.#closed || !this.#lanes.promise(delivery)) {
      const outcome = await deliveries.insert({ ...delivery, nextAt: new Date(now) });
      if (outcome === 'inserted') this.#lanes.add(delivery);
      return;
    }
    const claimed = { ...delivery, claim: this.#newClaim(), nextAt: new Date(now + limits.leaseMs) };
    let outcome: 'inserted' | 'known' | undefined;
    try {
      outcome = await deliveries.insert(claimed);
    } finally {
      if (outcome === 'inserted') this.#lanes.keep(claimed);
      else this.#lanes.dismiss(claimed);
    }
  }

  /** Begins the attempts whose turn it is, and claims further ones, many by one write. */
  #pump(): void {
    if (this.#closed) return;
    for (const delivery of this.#lanes.takeTurns()) this.#track(this.#carry(delivery));
    // While a claim is under way, further ones gather for the next.
    if (this.#claiming) return;
    const due = this.#lanes.takeDue(this.#options.limits.claimBatch);
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
        this.#newClaim(),
        new Date(now + limits.claimEarlyMs),
        new Date(now + limits.leaseMs),
      );
    } catch (error) {
      // Claims that were written all the same lapse; the other deliveries are found by the next sweep.
      log.error({ err: error }, 'could not claim deliveries');
    }
    const ours = new Map(claimed.map((delivery) => [delivery._id, delivery]));
    for (const one of due) {
      const delivery = ours.get(one._id);
      // One that was sent to another URL meanwhile belongs to another lane: its claim lapses.
      if (delivery?.url !== one.url) this.#lanes.dismiss(one);
      else this.#keepFromDue(delivery);
    }
  }

  /** Gives a claimed delivery its turn when it is due, never before. */
  #keepFromDue(delivery: DeliveryDocument): void {
    const { clock } = this.#options;
    const earlyMs = (delivery.dueAt?.getTime() ?? 0) - clock.now();
    if (earlyMs <= 0 || this.#closed) {
      this.#lanes.keep(delivery);
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
    this.#lanes.attemptEnded(delivery.url, record.ms <= this.#options.limits.quickMs);
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
      this.#lanes.leave(delivery);
      this.#pump();
    }
  }

  /** Whether an attempt begun now could outlast its claim. */
  #isLate({ nextAt }: DeliveryDocument): boolean {
    const { clock, limits } = this.#options;
    return (nextAt?.getTime() ?? 0) - clock.now() < limits.responseTimeoutMs + limits.drainResponseMs;
  }

  async #giveBack(delivery: DeliveryDocument): Promise<void> {
    this.#lanes.attemptEnded(delivery.url);
    await this.#release(delivery);
    this.#lanes.leave(delivery);
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
    // A redelivery that fails does not undo that it was delivered before.
    const before = delivery.attempts.some(({ error }) => error === undefined);
    return { state: before ? 'delivered' : 'failed' };
  }

  /** Writes an end; retries while the claim holds. */
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

  #newClaim(): string {
    return `${this.#options.workerId}#${++this.#claims}`;
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }
}

function shown({ status, error, ms }: AttemptRecord): { status?: number; reason?: string; duration_ms: number } {
  return { ...(status !== undefined && { status }), ...(error !== undefined && { reason: error }), duration_ms: ms };
}
