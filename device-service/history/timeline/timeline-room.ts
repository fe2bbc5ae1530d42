import { KeyedLock } from '../../../kit/async/keyed-lock.js';
import { firstId } from '../../../kit/text/ids.js';
import type { AccountStore } from '../../store/accounts.js';
import type { CountedEntry, TimelineDocument, TimelineStore } from '../../store/timeline.js';

/** How long entries are stored, and how much room those of an account may take. Settings TIMELINE_DAYS and TIMELINE_MB. */
export interface TimelineSettings {
  keptMs: number;
  maxBytes: number;
}

export const DEFAULT_TIMELINE: TimelineSettings = { keptMs: 7 * 86_400_000, maxBytes: 500 * 1024 * 1024 };

/** How many entries one write removes. */
const REMOVED_AT_ONCE = 200;

/** How many entries one query counts. */
const COUNTED_AT_ONCE = 500;

/**
 * Adds and removes entries within the bounds. The document of an account has a counter of the bytes of its entries. The counter is raised
 * before entries are added, and lowered after they were removed. So a crash in between leaves it too high and never too low. Before this
 * process first removes entries of an account to make room, it counts all of them anew. That count may miss entries which another process
 * adds at that moment.
 */
export class TimelineRoom {
  readonly #timeline: TimelineStore;
  readonly #accounts: AccountStore;
  readonly #settings: TimelineSettings;
  readonly #counted = new Set<string>();
  readonly #lock = new KeyedLock();

  constructor({ timeline, accounts }: { timeline: TimelineStore; accounts: AccountStore }, settings: TimelineSettings) {
    this.#timeline = timeline;
    this.#accounts = accounts;
    this.#settings = settings;
  }

  /** Adds entries of one account, and removes its oldest ones where they take too much room. */
  async add(accountId: string, entries: readonly TimelineDocument[]): Promise<void> {
    await this.#lock.run(accountId, async () => {
      const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
      await this.#accounts.addTimelineBytes(accountId, bytes);
      const added = await this.#timeline.insert(entries);
      let sum = await this.#accounts.addTimelineBytes(accountId, added - bytes);
      if (sum > this.#settings.maxBytes && !this.#counted.has(accountId)) {
        sum = await this.#count(accountId);
        this.#counted.add(accountId);
      }
      while (sum > this.#settings.maxBytes) {
        const oldest = await this.#timeline.findOldest(accountId, REMOVED_AT_ONCE);
        sum =
          oldest.length === 0 ? await this.#count(accountId) : await this.#remove(accountId, this.#excess(oldest, sum));
      }
    });
  }

  /** Removes all entries of a phone. */
  async removeOfPhone(phoneId: string): Promise<void> {
    await this.#removeAll(() => this.#timeline.findOfPhone(phoneId, REMOVED_AT_ONCE));
  }

  /** Removes all entries of an account. */
  async removeOfAccount(accountId: string): Promise<void> {
    await this.#removeAll(() => this.#timeline.findOldest(accountId, REMOVED_AT_ONCE));
  }

  /** Removes expired entries. */
  async removeExpired(nowMs: number, signal: AbortSignal): Promise<void> {
    const beforeId = firstId('tl', Math.max(0, nowMs - this.#settings.keptMs));
    await this.#removeAll(() => this.#timeline.findBefore(beforeId, REMOVED_AT_ONCE), signal);
  }

  async #removeAll(find: () => Promise<CountedEntry[]>, signal?: AbortSignal): Promise<void> {
    for (let found = await find(); found.length > 0 && signal?.aborted !== true; found = await find()) {
      for (const accountId of new Set(found.map((entry) => entry.accountId))) {
        const ours = found.filter((entry) => entry.accountId === accountId);
        await this.#lock.run(accountId, () => this.#remove(accountId, ours));
      }
    }
  }

  /**
   * Returns the entries of `oldest` that must be removed for the account to be within its bound. `sum` is the bytes that the account has
   * now.
   */
  #excess(oldest: readonly CountedEntry[], sum: number): CountedEntry[] {
    let left = sum;
    return oldest.filter(({ bytes }) => {
      const isExcess = left > this.#settings.maxBytes;
      if (isExcess) left -= bytes;
      return isExcess;
    });
  }

  /** Removes entries. Returns the bytes that the account has then. */
  async #remove(accountId: string, entries: readonly CountedEntry[]): Promise<number> {
    const removed = await this.#timeline.remove(entries.map(({ _id }) => _id));
    // Another process may have removed and subtracted some of them, and it is not known which. So as little as possible is subtracted
    // here.
    const sizes = entries.map(({ bytes }) => bytes).toSorted((a, b) => a - b);
    const freed = sizes.slice(0, removed).reduce((sum, bytes) => sum + bytes, 0);
    return this.#accounts.addTimelineBytes(accountId, -freed);
  }

  /**
   * Counts the bytes of an account, and writes them. It reads in pieces, as there may be hundreds of thousands of entries, and the database
   * has other work.
   */
  async #count(accountId: string): Promise<number> {
    let sum = 0;
    let afterId: string | undefined;
    do {
      const entries: CountedEntry[] = await this.#timeline.findOldest(accountId, COUNTED_AT_ONCE, afterId);
      sum += entries.reduce((bytes, entry) => bytes + entry.bytes, 0);
      afterId = entries.length < COUNTED_AT_ONCE ? undefined : entries.at(-1)?._id;
    } while (afterId !== undefined);
    await this.#accounts.setTimelineBytes(accountId, sum);
    return sum;
  }
}
