import type { WebhookLimits } from '../limits.js';
import type { DueDelivery } from '../store/deliveries.js';
import type { DeliveryDocument } from '../store/delivery-document.js';

/** The deliveries to one URL. */
interface ReceiverQueue {
  url: string;
  /** Due and not claimed, oldest first. */
  due: DueDelivery[];
  /** Being claimed. */
  promised: number;
  /** Claimed, waiting for a slot. */
  claimed: DeliveryDocument[];
  /** Attempts under way. */
  running: number;
  /** Whether the last attempt ended quickly, with success or failure. */
  quick: boolean;
  /** The database has more deliveries than wait here. */
  more: boolean;
}

export type ReceiverQueueLimits = Pick<
  WebhookLimits,
  'perReceiver' | 'perSlowReceiver' | 'aheadPerReceiver' | 'inAll' | 'waitingPerReceiver'
>;

/**
 * Decides which delivery is sent next. Each URL has a queue with its own slots, and queues take turns. So a receiver that hangs or is
 * flooded delays only its own deliveries. When slots grow scarce, queues whose last attempt was not quick get fewer slots. So many hanging
 * receivers together do not take all slots. Deliveries of quick queues are claimed ahead of their slots. The number of deliveries in memory
 * is bounded for each queue, and the number of documents also in total.
 */
export class ReceiverQueues {
  readonly #limits: ReceiverQueueLimits;
  readonly #queues = new Map<string, ReceiverQueue>();
  /** Queues that may have something to be claimed, and queues that may have a turn, in order. */
  readonly #claimable = new Set<ReceiverQueue>();
  readonly #ready = new Set<ReceiverQueue>();
  /** Every id that is in a queue or holds a slot. */
  readonly #known = new Set<string>();
  #held = 0;
  #ahead = 0;

  constructor(limits: ReceiverQueueLimits) {
    this.#limits = limits;
  }

  /** Slots taken: attempts under way, and those whose end is being written. */
  get held(): number {
    return this.#held;
  }

  /**
   * Returns whether a new delivery may be written as claimed: its turn comes soon, and so does that of the deliveries waiting to be
   * claimed. A burst would never use this path if any waiting delivery blocked it. After `true` the caller calls `keep` or `dismiss`.
   */
  mayClaimNew(delivery: DueDelivery): boolean {
    const queue = this.#queue(delivery.url);
    const may = !queue.more && this.#mayClaim(queue, queue.due.length);
    if (may) {
      this.#known.add(delivery._id);
      queue.promised++;
      this.#ahead++;
    } else this.#tidy(queue);
    return may;
  }

  /** Lets a delivery wait to be claimed. A delivery that is known already is left where it is. */
  add({ _id, url }: DueDelivery): void {
    if (this.#known.has(_id)) return;
    const queue = this.#queue(url);
    if (queue.due.length >= this.#limits.waitingPerReceiver) {
      queue.more = true;
      return;
    }
    this.#known.add(_id);
    queue.due.push({ _id, url });
    this.#claimable.add(queue);
  }

  /** Returns the deliveries to be claimed next, at most `count`, a queue at a time. The caller calls `keep` or `dismiss` for each. */
  takeDue(count: number): DueDelivery[] {
    const taken: DueDelivery[] = [];
    for (const queue of this.#claimable) {
      // Queues that only wait for a slot of all keep their places.
      if (taken.length === count || this.#full()) break;
      this.#claimable.delete(queue);
      if (!this.#mayClaim(queue)) continue;
      const next = queue.due.shift();
      if (next === undefined) continue;
      queue.promised++;
      this.#ahead++;
      taken.push(next);
      // The queue goes to the end of the set, so this loop reaches it again after the others.
      if (queue.due.length > 0) this.#claimable.add(queue);
    }
    return taken;
  }

  /** Lets a claimed delivery wait for a slot. */
  keep(delivery: DeliveryDocument): void {
    const queue = this.#queue(delivery.url);
    queue.promised--;
    queue.claimed.push(delivery);
    this.#ready.add(queue);
  }

  /** Gives up a delivery that could not be claimed: another instance has it, or it was not written. */
  dismiss({ _id, url }: DueDelivery): void {
    const wereScarce = this.#scarce();
    const queue = this.#queue(url);
    queue.promised--;
    this.#ahead--;
    this.#known.delete(_id);
    if (wereScarce && !this.#scarce()) this.#roomInAll();
    this.#roomIn(queue);
  }

  /** Returns the claimed deliveries whose turn it is. Each takes a slot. */
  takeTurns(): DeliveryDocument[] {
    const taken: DeliveryDocument[] = [];
    for (const queue of this.#ready) {
      this.#ready.delete(queue);
      // Scarcity bounds only what is claimed. A claimed delivery that were held back here would only lapse.
      if (queue.running >= this.#limits.perReceiver) continue;
      const next = queue.claimed.shift();
      if (next === undefined) continue;
      queue.running++;
      this.#ahead--;
      this.#held++;
      taken.push(next);
      if (queue.claimed.length > 0) this.#ready.add(queue);
    }
    return taken;
  }

  /** Ends an attempt at the receiver, so that the next one may begin. `quick`: it took little time; absent: nothing was sent. */
  attemptEnded(url: string, quick?: boolean): void {
    const queue = this.#queue(url);
    queue.running--;
    if (quick !== undefined) queue.quick = quick;
    if (queue.claimed.length > 0) this.#ready.add(queue);
    this.#roomIn(queue);
  }

  /**
   * Forgets a delivery whose attempt was written down or that was given back, so that its id may be added again. Called after
   * `attemptEnded`.
   */
  leave({ _id, url }: DueDelivery): void {
    const wereScarce = this.#scarce();
    this.#held--;
    this.#known.delete(_id);
    if (wereScarce && !this.#scarce()) this.#roomInAll();
    const queue = this.#queues.get(url);
    if (queue !== undefined) this.#roomIn(queue);
  }

  /** Forgets all waiting deliveries; returns the claimed ones. */
  clear(): DeliveryDocument[] {
    const claimed: DeliveryDocument[] = [];
    for (const queue of this.#queues.values()) {
      claimed.push(...queue.claimed.splice(0));
      for (const { _id } of queue.due.splice(0)) this.#known.delete(_id);
    }
    for (const { _id } of claimed) this.#known.delete(_id);
    this.#ahead -= claimed.length;
    return claimed;
  }

  /** Returns the URLs with few waiting deliveries here and more in the database. */
  needsMore(): string[] {
    const few = this.#limits.waitingPerReceiver / 4;
    return [...this.#queues.values()].filter((queue) => queue.more && queue.due.length <= few).map(({ url }) => url);
  }

  /** Notes that the database's deliveries of a URL are added next. `more`: the database has further ones. */
  refilled(url: string, more: boolean): void {
    const queue = this.#queues.get(url);
    if (queue === undefined) return;
    queue.more = more;
    this.#tidy(queue);
  }

  /** `before`: how many others are to be claimed first. */
  #mayClaim(queue: ReceiverQueue, before = 0): boolean {
    const ahead = queue.quick ? this.#limits.aheadPerReceiver : 0;
    const taken = queue.running + queue.promised + queue.claimed.length + before;
    return !this.#full() && taken < this.#slots(queue) + ahead;
  }

  #slots(queue: ReceiverQueue): number {
    const { perReceiver, perSlowReceiver } = this.#limits;
    return !queue.quick && this.#scarce() ? perSlowReceiver : perReceiver;
  }

  #scarce(): boolean {
    return this.#held + this.#ahead > this.#limits.inAll / 2;
  }

  #full(): boolean {
    return this.#held + this.#ahead >= this.#limits.inAll;
  }

  #queue(url: string): ReceiverQueue {
    const known = this.#queues.get(url);
    if (known !== undefined) return known;
    const queue: ReceiverQueue = { url, due: [], promised: 0, claimed: [], running: 0, quick: false, more: false };
    this.#queues.set(url, queue);
    return queue;
  }

  /** Lets queues that were denied slots while these were scarce have them again. */
  #roomInAll(): void {
    for (const queue of this.#queues.values()) this.#roomIn(queue);
  }

  /** Lets the queue have claims and turns again, after something of it has ended. Forgets it when it is empty. */
  #roomIn(queue: ReceiverQueue): void {
    if (queue.due.length > 0) this.#claimable.add(queue);
    if (queue.claimed.length > 0) this.#ready.add(queue);
    this.#tidy(queue);
  }

  /** Forgets an empty queue; whether its receiver is quick is measured again at its next attempt. */
  #tidy(queue: ReceiverQueue): void {
    const { running, promised, claimed, due, more } = queue;
    if (running > 0 || promised > 0 || claimed.length > 0 || due.length > 0 || more) return;
    this.#queues.delete(queue.url);
    this.#claimable.delete(queue);
    this.#ready.delete(queue);
  }
}
