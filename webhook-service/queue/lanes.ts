import type { WebhookLimits } from '../limits.js';
import type { DueDelivery } from '../store/deliveries.js';
import type { DeliveryDocument } from '../store/delivery-document.js';

/** The deliveries to one URL. */
interface Lane {
  url: string;
  /** Due and not claimed, oldest first. */
  due: DueDelivery[];
  /** Being claimed. */
  promised: number;
  /** Claimed, waiting for a slot. */
  claimed: DeliveryDocument[];
  /** Attempts under way. */
  running: number;
  /** The last attempt ended quickly, well or badly. */
  quick: boolean;
  /** The database has more deliveries than wait here. */
  more: boolean;
}

export type LaneLimits = Pick<
  WebhookLimits,
  'perReceiver' | 'perSlowReceiver' | 'aheadPerReceiver' | 'inAll' | 'waitingPerReceiver'
>;

/**
 * Decides which delivery is sent next. Each URL has a lane with its own slots, and lanes take turns, so a receiver that hangs or is
 * flooded delays only its own deliveries. When slots grow scarce, lanes whose last attempt was not quick get fewer, so that many
 * hanging receivers together do not take them all. Deliveries of quick lanes are claimed ahead of their slots. The number of
 * deliveries in memory is bounded for each lane, and the number of documents also in total.
 */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that may have something to be claimed, and lanes that may have a turn, in order. */
  readonly #claimable = new Set<Lane>();
  readonly #ready = new Set<Lane>();
  /** Every id that is in a lane or holds a slot. */
  readonly #known = new Set<string>();
  #held = 0;
  #ahead = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Slots taken: attempts under way, and those whose end is being written. */
  get held(): number {
    return this.#held;
  }

  /**
   * Returns whether a new delivery may be written as claimed: its turn comes soon, and so does that of the deliveries waiting to be
   * claimed. If any waiting delivery blocked this path, a burst would never use it. Followed by `keep` or `dismiss`.
   */
  promise(delivery: DueDelivery): boolean {
    const lane = this.#lane(delivery.url);
    const may = !lane.more && this.#mayClaim(lane, lane.due.length);
    if (may) {
      this.#known.add(delivery._id);
      lane.promised++;
      this.#ahead++;
    } else this.#tidy(lane);
    return may;
  }

  /** Lets a delivery wait to be claimed. One that is known already is left where it is. */
  add({ _id, url }: DueDelivery): void {
    if (this.#known.has(_id)) return;
    const lane = this.#lane(url);
    if (lane.due.length >= this.#limits.waitingPerReceiver) {
      lane.more = true;
      return;
    }
    this.#known.add(_id);
    lane.due.push({ _id, url });
    this.#claimable.add(lane);
  }

  /** Those to be claimed next, at most `count`, a lane at a time. Each is followed by `keep` or `dismiss`. */
  takeDue(count: number): DueDelivery[] {
    const taken: DueDelivery[] = [];
    for (const lane of this.#claimable) {
      if (taken.length === count) break;
      this.#claimable.delete(lane);
      if (!this.#mayClaim(lane)) continue;
      const next = lane.due.shift();
      if (next === undefined) continue;
      lane.promised++;
      this.#ahead++;
      taken.push(next);
      // Behind the others: its next turn comes after theirs. The loop comes by again.
      if (lane.due.length > 0) this.#claimable.add(lane);
    }
    return taken;
  }

  /** A delivery has been claimed; it waits for a slot. */
  keep(delivery: DeliveryDocument): void {
    const lane = this.#lane(delivery.url);
    lane.promised--;
    lane.claimed.push(delivery);
    this.#ready.add(lane);
  }

  /** A delivery could not be claimed: another has it, or it was not written. */
  dismiss({ _id, url }: DueDelivery): void {
    const lane = this.#lane(url);
    lane.promised--;
    this.#ahead--;
    this.#known.delete(_id);
    this.#roomIn(lane);
  }

  /** Claimed deliveries whose turn it is; each takes a slot. */
  takeTurns(): DeliveryDocument[] {
    const taken: DeliveryDocument[] = [];
    for (const lane of this.#ready) {
      this.#ready.delete(lane);
      // Scarcity held it back when it was claimed; to hold a claimed one would only let it lapse.
      if (lane.running >= this.#limits.perReceiver) continue;
      const next = lane.claimed.shift();
      if (next === undefined) continue;
      lane.running++;
      this.#ahead--;
      this.#held++;
      taken.push(next);
      if (lane.claimed.length > 0) this.#ready.add(lane);
    }
    return taken;
  }

  /** Ends an attempt at the receiver, so that the next one may begin. `quick`: it took little time; absent: nothing was sent. */
  attemptEnded(url: string, quick?: boolean): void {
    const lane = this.#lane(url);
    lane.running--;
    if (quick !== undefined) lane.quick = quick;
    if (lane.claimed.length > 0) this.#ready.add(lane);
    this.#roomIn(lane);
  }

  /** A delivery is done with: its id may be added again. Called after `attemptEnded`. */
  leave({ _id, url }: DueDelivery): void {
    const wereScarce = this.#scarce() || this.#full();
    this.#held--;
    this.#known.delete(_id);
    if (wereScarce && !this.#scarce()) for (const lane of this.#lanes.values()) this.#roomIn(lane);
    const lane = this.#lanes.get(url);
    if (lane !== undefined) this.#roomIn(lane);
  }

  /** Forgets all waiting deliveries; returns the claimed ones. */
  clear(): DeliveryDocument[] {
    const claimed: DeliveryDocument[] = [];
    for (const lane of this.#lanes.values()) {
      claimed.push(...lane.claimed.splice(0));
      for (const { _id } of lane.due.splice(0)) this.#known.delete(_id);
    }
    for (const { _id } of claimed) this.#known.delete(_id);
    this.#ahead -= claimed.length;
    return claimed;
  }

  /** URLs of which the database has more than waits here, now that little waits. */
  hungry(): string[] {
    const few = this.#limits.waitingPerReceiver / 4;
    return [...this.#lanes.values()].filter((lane) => lane.more && lane.due.length <= few).map(({ url }) => url);
  }

  /** The database's deliveries of a URL are about to be added; `more`: not all of them. */
  fed(url: string, more: boolean): void {
    const lane = this.#lanes.get(url);
    if (lane === undefined) return;
    lane.more = more;
    this.#tidy(lane);
  }

  /** `before`: how many others are to be claimed first. */
  #mayClaim(lane: Lane, before = 0): boolean {
    const ahead = lane.quick ? this.#limits.aheadPerReceiver : 0;
    const taken = lane.running + lane.promised + lane.claimed.length + before;
    return !this.#full() && taken < this.#slots(lane) + ahead;
  }

  #slots(lane: Lane): number {
    const { perReceiver, perSlowReceiver } = this.#limits;
    return !lane.quick && this.#scarce() ? perSlowReceiver : perReceiver;
  }

  #scarce(): boolean {
    return this.#held + this.#ahead > this.#limits.inAll / 2;
  }

  #full(): boolean {
    return this.#held + this.#ahead >= this.#limits.inAll;
  }

  #lane(url: string): Lane {
    const known = this.#lanes.get(url);
    if (known !== undefined) return known;
    const lane: Lane = { url, due: [], promised: 0, claimed: [], running: 0, quick: false, more: false };
    this.#lanes.set(url, lane);
    return lane;
  }

  /** Something of the lane has come to an end. */
  #roomIn(lane: Lane): void {
    if (lane.due.length > 0) this.#claimable.add(lane);
    if (lane.claimed.length > 0) this.#ready.add(lane);
    this.#tidy(lane);
  }

  /** Forgets an empty lane; whether its receiver is quick is measured again at its next attempt. */
  #tidy(lane: Lane): void {
    const { running, promised, claimed, due, more } = lane;
    if (running > 0 || promised > 0 || claimed.length > 0 || due.length > 0 || more) return;
    this.#lanes.delete(lane.url);
    this.#claimable.delete(lane);
    this.#ready.delete(lane);
  }
}
