import type { WebhookLimits } from '../limits.js';
import type { DueDelivery } from '../store/deliveries.js';

/** What is due at one URL. */
interface Lane {
  url: string;
  /** Ids, oldest first. */
  waiting: string[];
  /** Attempts under way at the URL. */
  running: number;
  /** The last attempt went well. */
  proven: boolean;
  /** The database has more than what waits here. */
  more: boolean;
}

export type LaneLimits = Pick<WebhookLimits, 'perReceiver' | 'perUnprovenReceiver' | 'inAll' | 'waitingPerReceiver'>;

/**
 * Whose turn it is. Each URL has a lane of its own with its own slots, and lanes take turns, so a receiver that hangs or is flooded
 * keeps only itself waiting. When slots grow scarce, lanes that have not just been answered well get fewer, so that many hanging
 * receivers together do not take them all. Holds ids only, and a bounded number for each lane.
 */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with something waiting that may have a slot, in the order of their turns. */
  readonly #ready = new Set<Lane>();
  /** Every id that waits or holds a slot. */
  readonly #known = new Set<string>();
  #held = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Slots taken: attempts under way, and those whose end is being written. */
  get held(): number {
    return this.#held;
  }

  /** Takes a slot for a delivery at once, unless others wait or all slots are taken. Give it back with `leave`. */
  reserve({ _id, url }: DueDelivery): boolean {
    const lane = this.#lane(url);
    const free = lane.waiting.length === 0 && !lane.more && this.#hasSlot(lane);
    if (free) {
      this.#known.add(_id);
      this.#hold(lane);
    }
    return free;
  }

  /** Lets a delivery wait for its turn. One that is known already is left where it is. */
  add({ _id, url }: DueDelivery): void {
    if (this.#known.has(_id)) return;
    const lane = this.#lane(url);
    if (lane.waiting.length >= this.#limits.waitingPerReceiver) {
      lane.more = true;
      return;
    }
    this.#known.add(_id);
    lane.waiting.push(_id);
    this.#ready.add(lane);
  }

  /** The next deliveries, at most `count`, a lane at a time; each takes a slot. */
  take(count: number): DueDelivery[] {
    const taken: DueDelivery[] = [];
    for (const lane of this.#ready) {
      if (taken.length === count || this.#held >= this.#limits.inAll) break;
      this.#ready.delete(lane);
      if (!this.#hasSlot(lane)) continue;
      const id = lane.waiting.shift();
      if (id === undefined) continue;
      this.#hold(lane);
      taken.push({ _id: id, url: lane.url });
      // Behind the others: its next turn comes after theirs. The loop comes by again.
      if (lane.waiting.length > 0) this.#ready.add(lane);
    }
    return taken;
  }

  /** The receiver is done with an attempt, so that the next one of the lane may begin. `good`: it answered well. */
  answered(url: string, good: boolean | undefined): void {
    const lane = this.#lane(url);
    lane.running--;
    if (good !== undefined) lane.proven = good;
    if (lane.waiting.length > 0) this.#ready.add(lane);
    this.#tidy(lane);
  }

  /** A delivery is done with: its slot is free, and its id may be added again. Comes after `answered`. */
  leave({ _id, url }: DueDelivery): void {
    const wereScarce = this.#scarce();
    this.#held--;
    this.#known.delete(_id);
    // Lanes that were passed over may have slots again.
    if (wereScarce && !this.#scarce())
      for (const lane of this.#lanes.values()) if (lane.waiting.length > 0) this.#ready.add(lane);
    const lane = this.#lanes.get(url);
    if (lane !== undefined) this.#tidy(lane);
  }

  /** URLs of which the database has more than waits here, now that little waits. */
  hungry(): string[] {
    const few = this.#limits.waitingPerReceiver / 4;
    return [...this.#lanes.values()].filter((lane) => lane.more && lane.waiting.length <= few).map(({ url }) => url);
  }

  /** All that the database has of a URL has been added, or will be found by `hungry` again. */
  fed(url: string, more: boolean): void {
    const lane = this.#lanes.get(url);
    if (lane === undefined) return;
    lane.more = more;
    this.#tidy(lane);
  }

  #scarce(): boolean {
    return this.#held > this.#limits.inAll / 2;
  }

  #hasSlot(lane: Lane): boolean {
    const { perReceiver, perUnprovenReceiver, inAll } = this.#limits;
    return this.#held < inAll && lane.running < (!lane.proven && this.#scarce() ? perUnprovenReceiver : perReceiver);
  }

  #hold(lane: Lane): void {
    lane.running++;
    this.#held++;
  }

  #lane(url: string): Lane {
    const known = this.#lanes.get(url);
    if (known !== undefined) return known;
    const lane: Lane = { url, waiting: [], running: 0, proven: false, more: false };
    this.#lanes.set(url, lane);
    return lane;
  }

  /** Forgets a lane without anything in it; its next attempt tells again whether it answers. */
  #tidy(lane: Lane): void {
    if (lane.running > 0 || lane.waiting.length > 0 || lane.more) return;
    this.#lanes.delete(lane.url);
    this.#ready.delete(lane);
  }
}
