import { type EventDocument, eventKey, type EventStore } from '../store/events.js';

/** Events that are kept in memory for an account with open streams, and their bytes at the most. */
const RECENT_MOST = 256;
const RECENT_MOST_BYTES = 256 * 1024;

/** Events that are read at once. */
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
  readonly #waiting = new Set<() => void>();
  /** The number of the last event that is known. */
  lastSeq: number;
  /** Open streams. */
  streams = 0;

  constructor(store: EventStore, accountId: string, lastSeq: number) {
    this.#store = store;
    this.#accountId = accountId;
    this.lastSeq = lastSeq;
  }

  /** Calls `wake` once, when further events are known. Returns a function that takes the call back. */
  onGrown(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  /** Some of the events behind number `seq`, in their order: from memory where they are there. */
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
    this.#reading = this.#read();
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
      // In the same turn as the check above, so that no call comes between them.
      this.#reading = undefined;
    }
  }

  #take(events: readonly EventDocument[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    this.#recent.push(...events);
    for (const { payload } of events) this.#recentBytes += payload.length;
    while (this.#recent.length > RECENT_MOST || this.#recentBytes > RECENT_MOST_BYTES) {
      this.#recentBytes -= this.#recent.shift()?.payload.length ?? 0;
    }
    this.lastSeq = last.seq;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

/** The ends of the logs that streams of this process read. */
export class AccountTails {
  readonly #store: EventStore;
  readonly #tails = new Map<string, AccountTail>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Returns the end of an account's log for one stream; to be closed. */
  async open(accountId: string): Promise<AccountTail> {
    const known = this.#tails.get(accountId);
    if (known !== undefined) {
      known.streams++;
      await known.refresh();
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

  /** Events of the account were added in this process. Returns once its streams know them. */
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
