import { begunAhead } from '../../kit/async/begun-ahead.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import { type EventDocument, eventKey, type EventStore } from '../store/events.js';

/** Events that are kept in memory for an account with open streams, and their bytes at the most. */
const MAX_RECENT_EVENTS = 256;
const MAX_RECENT_BYTES = 256 * 1024;

/** How many events are read at a time. */
const PAGE = 100;

/** The end of one account's log, which all its streams in this process read from. */
export class AccountTail {
  readonly #store: EventStore;
  readonly #accountId: string;
  /** The latest events, without a gap. */
  #recent: EventDocument[] = [];
  #recentBytes = 0;
  #reading: Promise<void> | undefined;
  #readAgain = false;
  /** Wakes the streams when further events are known. */
  readonly grown = new WakeSignal();
  /** The number of the last event that is known. */
  lastSeq: number;
  /** Open streams. */
  streams = 0;

  constructor(store: EventStore, accountId: string, lastSeq: number) {
    this.#store = store;
    this.#accountId = accountId;
    this.lastSeq = lastSeq;
  }

  /** Returns some of the events after number `seq`, in their order. It reads the store only for events that are no longer in memory. */
  async after(seq: number): Promise<readonly EventDocument[]> {
    if (seq >= this.lastSeq) return [];
    const first = this.#recent[0];
    if (first !== undefined && seq >= first.seq - 1) return this.#recent.slice(seq - first.seq + 1);
    return this.#store.listAfter(this.#accountId, seq, PAGE);
  }

  /** Reads the events that were added. Calls at the same time share a read that begins after them. */
  refresh(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#readAgain = true;
      return this.#reading;
    }
    this.#reading = begunAhead(this.#read());
    return this.#reading;
  }

  async #read(): Promise<void> {
    try {
      do {
        this.#readAgain = false;
        const events = await this.#store.listAfter(this.#accountId, this.lastSeq, PAGE);
        if (events.length === PAGE) this.#readAgain = true;
        this.#take(events);
      } while (this.#readAgain);
    } finally {
      // This runs in the same turn as the check of `#readAgain`, so that no call of `refresh` comes between them.
      this.#reading = undefined;
    }
  }

  #take(events: readonly EventDocument[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    this.#recent.push(...events);
    for (const { payload } of events) this.#recentBytes += payload.length;
    while (this.#recent.length > MAX_RECENT_EVENTS || this.#recentBytes > MAX_RECENT_BYTES) {
      this.#recentBytes -= this.#recent.shift()?.payload.length ?? 0;
    }
    this.lastSeq = last.seq;
    this.grown.wake();
  }
}

/** The ends of the logs that streams of this process read. */
export class AccountTails {
  readonly #store: EventStore;
  readonly #tails = new Map<string, AccountTail>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Returns the end of an account's log for one stream. The stream must call `close` when it ends. */
  async open(accountId: string): Promise<AccountTail> {
    const known = this.#tails.get(accountId);
    if (known !== undefined) {
      known.streams++;
      try {
        await known.refresh();
      } catch (error) {
        this.close(accountId);
        throw error;
      }
      return known;
    }
    const lastSeq = await this.#store.findLastSeq(accountId);
    // Another stream may have opened it meanwhile.
    const tail = this.#tails.get(accountId) ?? new AccountTail(this.#store, accountId, lastSeq);
    this.#tails.set(accountId, tail);
    tail.streams++;
    return tail;
  }

  close(accountId: string): void {
    const tail = this.#tails.get(accountId);
    if (tail !== undefined && --tail.streams === 0) this.#tails.delete(accountId);
  }

  /** Is called when this process has added events of the account. Returns once the account's streams know them. */
  async refresh(accountId: string): Promise<void> {
    await this.#tails.get(accountId)?.refresh();
  }

  /** Finds the events that other processes have added, by one query for all accounts: each log's next number is known. */
  async poll(): Promise<void> {
    const next = new Map(
      [...this.#tails].map(([accountId, { lastSeq }]) => [eventKey(accountId, lastSeq + 1), accountId]),
    );
    if (next.size === 0) return;
    const there = await this.#store.findThere([...next.keys()]);
    await Promise.all([...there].map((id) => this.refresh(next.get(id) ?? '')));
  }
}
