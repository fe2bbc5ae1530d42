import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { isDuplicateKey } from '../../kit/db/mongo.js';
import type { PlanWord } from './device-document.js';

/** One line of an account's ledger. Lines are only ever added. */
export interface LedgerEntry {
  /** `<account>/<seq>`, with the number padded. It is unique, so that each line has one successor and the chain never forks. */
  _id: string;
  accountId: string;
  /** The number of the line; 1 for the first. */
  seq: number;
  kind: LineKind;
  /**
   * The time that the line is for. For a charge it is the beginning of the minute or month, and otherwise the time at which the line was
   * written.
   */
  at: Date;
  writtenAt: Date;
  /** The amount that is added to the balance, in micro-dollars; charges are negative. */
  amountMicros: number;
  /** The balance after this line. */
  balanceMicros: number;
  /** Begun minutes that the line charges: 1 or 0. */
  minutes: number;
  /** Minutes of the trial used, after this line. */
  trialMinutes: number;
  /** The reason for the line, such as `minute/<phone>/<minute>`. It is unique, so that no line is written twice. */
  dedupe: string;
  /** The device of a charge. */
  device?: ChargedDevice;
  /** The phone of a hold or release. */
  phoneId?: string;
  /** Holds after this line; absent: there are none. */
  holds?: Hold[];
}

export type LineKind = 'credit' | 'minute' | 'month' | 'refund' | 'reversal' | 'hold' | 'release';

/** The reservation of the price of a phone's next minute, until a time. */
export interface Hold {
  phoneId: string;
  until: Date;
}

/** The device that a charge is for, as it was then. */
export interface ChargedDevice {
  phoneId: string;
  name: string;
  createdBy: string;
  plan: PlanWord;
}

/** Returns the `_id` of a line. */
export function lineId(accountId: string, seq: number): string {
  return `${accountId}/${String(seq).padStart(12, '0')}`;
}

/** Returns the number of a line of the account by its `_id`; undefined when it is no `_id` of the account. */
export function seqOf(accountId: string, id: string): number | undefined {
  const seq = Number(id.slice(accountId.length + 1));
  return Number.isSafeInteger(seq) && lineId(accountId, seq) === id ? seq : undefined;
}

/** The ledger collection. How lines are added is in accounts/billing/ledger.ts. */
export class LedgerStore {
  readonly #entries: Collection<LedgerEntry>;

  constructor(database: Db) {
    this.#entries = database.collection<LedgerEntry>('ledger');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#entries, [
      { key: { dedupe: 1 }, name: 'dedupe', unique: true },
      // Credits and reversals are few among many minutes, and the number of a line does not show its kind.
      { key: { accountId: 1, at: -1 }, name: 'account_credits', partialFilterExpression: { kind: 'credit' } },
      { key: { accountId: 1, at: -1 }, name: 'account_reversals', partialFilterExpression: { kind: 'reversal' } },
    ]);
  }

  async findLast(accountId: string): Promise<LedgerEntry | undefined> {
    // '0' is the character after '/', so the range has all lines of the account and nothing else.
    const [last] = await this.#entries
      .find({ _id: { $gt: `${accountId}/`, $lt: `${accountId}0` } })
      .sort({ _id: -1 })
      .limit(1)
      .toArray();
    return last;
  }

  /**
   * Adds lines in their order. Returns false when one of the lines, or another line with the same number, exists already. The lines before
   * that one are still added.
   */
  async insert(entries: readonly LedgerEntry[]): Promise<boolean> {
    try {
      await this.#entries.insertMany([...entries], { ordered: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Returns which of `dedupes` have been written. */
  async findWritten(dedupes: readonly string[]): Promise<Set<string>> {
    const found = await this.#entries
      .find({ dedupe: { $in: [...dedupes] } })
      .project<{ dedupe: string }>({ dedupe: 1 })
      .toArray();
    return new Set(found.map(({ dedupe }) => dedupe));
  }

  /** Returns the charge for a month of a phone. */
  findMonth(phoneId: string, month: number): Promise<LedgerEntry | null> {
    return this.#entries.findOne({ dedupe: `month/${phoneId}/${month}` });
  }

  /**
   * Returns the greatest dedupe that begins with `prefix` and is not above `most`, which begins with it too; undefined when there is
   * none.
   */
  async findGreatest(prefix: string, most: string): Promise<string | undefined> {
    const [found] = await this.#entries
      .find({ dedupe: { $gt: prefix, $lte: most } })
      .sort({ dedupe: -1 })
      .limit(1)
      .toArray();
    return found?.dedupe;
  }

  /** Returns lines of an account after line `seq`, oldest first. */
  listAfter(accountId: string, seq: number, limit: number): Promise<LedgerEntry[]> {
    return this.#entries
      .find({ _id: { $gt: lineId(accountId, seq), $lt: `${accountId}0` } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Returns lines of an account of some kinds, newest first, before `beforeId`. */
  listShown(query: {
    accountId: string;
    kinds: readonly LineKind[];
    beforeId: string | undefined;
    limit: number;
  }): Promise<LedgerEntry[]> {
    const { accountId, kinds, beforeId, limit } = query;
    return this.#entries
      .find({ _id: { $gt: `${accountId}/`, $lt: beforeId ?? `${accountId}0` }, kind: { $in: [...kinds] } })
      .sort({ _id: -1 })
      .limit(limit)
      .batchSize(LISTED_AT_ONCE)
      .toArray();
  }

  /** Returns credits or reversals of an account whose time is before `before`, newest first. */
  listPayments(accountId: string, kind: 'credit' | 'reversal', before: Date): AsyncIterable<LedgerEntry> {
    return this.#entries
      .find({ accountId, kind, at: { $lt: before } })
      .sort({ at: -1 })
      .batchSize(PAYMENTS_AT_ONCE);
  }

  /** Returns lines whose dedupe is from `first` to before `before`, in the order of the dedupes. */
  listByDedupe(first: string, before: string): Promise<LedgerEntry[]> {
    return this.#entries
      .find({ dedupe: { $gte: first, $lt: before } })
      .sort({ dedupe: 1 })
      .batchSize(LISTED_AT_ONCE)
      .toArray();
  }

  /** Returns every line of an account, oldest first, for audits and tests. */
  listAll(accountId: string): Promise<LedgerEntry[]> {
    return this.#entries
      .find({ _id: { $gt: `${accountId}/`, $lt: `${accountId}0` } })
      .sort({ _id: 1 })
      .batchSize(LISTED_AT_ONCE)
      .toArray();
  }
}

/** How many lines are read at a time. The embedded database reads one batch at a time for all callers, so no batch may take long. */
const LISTED_AT_ONCE = 1_000;

/** How many payments are read at a time; a page of days has few of them. */
const PAYMENTS_AT_ONCE = 50;
