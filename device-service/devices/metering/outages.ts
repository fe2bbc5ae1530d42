import type { Clock } from '../../../kit/async/clock.js';
import type { HostOutage } from '../../store/hosts.js';

/** Most outages that a host keeps. A run is charged within an hour, or by late bookkeeping within days. */
const MAX_OUTAGES = 100;

/** A shorter time is no outage, ms: a call that is sent again, as its 503 says, gets through. */
const SHORTEST_MS = 20_000;

/**
 * How long a restart of the service may take, ms. When the host had no process for longer, nobody could stop its phones meanwhile, whether
 * the machine was down or the database took no writes.
 */
const RESTART_MS = 120_000;

const NEVER_ENDED = new Date(8.64e15);

/**
 * The times in which customers could not stop the phones of a host: its process could not write, or there was no process. Minutes that
 * begin in them are not charged (accounts/billing/free-minutes.ts).
 *
 * An outage lasts from the last renewal of the host's lease before it to the first one after it. That first renewal also writes the outage.
 * A process that ends before has left the time of its last renewal, so the next process finds the outage as a gap.
 */
export class Outages {
  readonly #clock: Clock;
  #ended: HostOutage[] = [];
  /** When the lease was last renewed with all well. */
  #wellMs: number;
  #isOpen = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wellMs = clock.now();
  }

  /** Goes on with the outages that the host's record has. `seenAt`: when its last process was last alive; absent: it had none. */
  load(kept: readonly HostOutage[], seenAt: Date | undefined): void {
    const open = kept.find(({ to }) => to === undefined);
    this.#ended = kept.filter(({ to }) => to !== undefined);
    const gapMs = seenAt === undefined ? 0 : this.#clock.now() - seenAt.getTime();
    if (open !== undefined) this.#wellMs = open.from.getTime();
    else if (gapMs > RESTART_MS && seenAt !== undefined) this.#wellMs = seenAt.getTime();
    else return;
    this.#isOpen = true;
  }

  /** Returns all outages, for charges. The present one has no end yet, and is none before it has lasted long enough. */
  get all(): readonly HostOutage[] {
    const isOutage = this.#isOpen && this.#clock.now() - this.#wellMs >= SHORTEST_MS;
    return isOutage ? [...this.#ended, { from: new Date(this.#wellMs), to: NEVER_ENDED }] : this.#ended;
  }

  /** Notes that phones cannot be stopped now. */
  begin(): void {
    this.#isOpen = true;
  }

  /** Returns the outages that a renewal of the lease is to write; undefined when nothing has changed. `isWell`: phones can be stopped. */
  toWrite(isWell: boolean): HostOutage[] | undefined {
    if (!isWell) return [...this.#ended, { from: new Date(this.#wellMs) }];
    return this.#isOpen ? this.#endedNow() : undefined;
  }

  /** Notes that the lease was renewed, with what `toWrite` returned. */
  written(isWell: boolean): void {
    if (!isWell) {
      this.#isOpen = true;
      return;
    }
    if (this.#isOpen) this.#ended = this.#endedNow();
    this.#isOpen = false;
    this.#wellMs = this.#clock.now();
  }

  #endedNow(): HostOutage[] {
    const nowMs = this.#clock.now();
    if (nowMs - this.#wellMs < SHORTEST_MS) return this.#ended;
    return [...this.#ended, { from: new Date(this.#wellMs), to: new Date(nowMs) }].slice(-MAX_OUTAGES);
  }
}
