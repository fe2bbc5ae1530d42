import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/put-indexes.js';
import { isDuplicateKey } from '../../kit/mongo.js';
import type { PlanWord } from './device-document.js';

/** One line of an account's ledger. Lines are only ever added. */
export interface LedgerEntry {
  /** `<account>/<seq>`, the number padded: unique, so that each line has one successor and the chain never forks. */
  _id: string;
  accountId: string;
  /** 1 for the first. */
  seq: number;
  kind: LineKind;
  /** The time that the line is for: the beginning of the minute or month; else when it was written. */
  at: Date;
  writtenAt: Date;
  /** Added to the balance; charges are negative. Micro-dollars. */
  amountMicros: number;
  /** After this line. */
  balanceMicros: number;
  /** Begun minutes that the line charges: 1 or 0. */
  minutes: number;
  /** Minutes of the trial used, after this line. */
  trialMinutes: number;
  /** The reason that the line must not be written twice for, such as `minute/<phone>/<minute>`. Unique. */
  dedupe: string;
  /** Of charges. */
  device?: ChargedDevice;
  /** Of holds and releases: the phone that they are for. */
  phoneId?: string;
  /** Holds after this line; absent: there are none. */
  holds?: Hold[];
}

export type LineKind = 'credit' | 'minute' | 'month' | 'refund' | 'reversal' | 'hold' | 'release';

/** The price of a phone's next minute is kept for it until a time. */
export interface Hold {
  phoneId: string;
  until: Date;
}

/** The device that a charge is for, as it was. */
export interface ChargedDevice {
  phoneId: string;
  name: string;
  createdBy: string;
  plan: PlanWord;
}

/** The `_id` of a line. */
export function lineId(accountId: string, seq: number): string {
  return `${accountId}/${String(seq).padStart(12, '0')}`;
}

/** The number of a line of the account by its `_id`; undefined when it is none. */
export function seqOf(accountId: string, id: string): number | undefined {
  const seq = Number(id.slice(accountId.length + 1));
  return Number.isSafeInteger(seq) && lineId(accountId, seq) === id ? seq : undefined;
}

/** The ledger collection. How lines are added: billing/ledger.ts. */
export class LedgerStore {
  readonly #entries: Collection<LedgerEntry>;

  constructor(database: Db) {
    this.#entries = database.collection<LedgerEntry>('ledger');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#entries, [{ key: { dedupe: 1 }, name: 'dedupe', unique: true }]);
  }

  async findLast(accountId: string): Promise<LedgerEntry | undefined> {
    // '0' is the character after '/', so this is the whole account and nothing else.
    const [last] = await this.#entries
      .find({ _id: { $gt: `${accountId}/`, $lt: `${accountId}0` } })
      .sort({ _id: -1 })
      .limit(1)
      .toArray();
    return last;
  }

  /**
   * Adds lines in their order. Returns false when one of them, or the successor it claims to be, is there already: then those before it
   * were added.
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

  /** Which of `dedupes` have been written. */
  async findWritten(dedupes: readonly string[]): Promise<Set<string>> {
    const found = await this.#entries
      .find({ dedupe: { $in: [...dedupes] } })
      .project<{ dedupe: string }>({ dedupe: 1 })
      .toArray();
    return new Set(found.map(({ dedupe }) => dedupe));
  }

  /** The charge for a month of a phone. */
  findMonth(phoneId: string, month: number): Promise<LedgerEntry | null> {
    return this.#entries.findOne({ dedupe: `month/${phoneId}/${month}` });
  }

  /** The greatest dedupe that begins with `prefix` and is not above `most`, which begins with it too; undefined when there is none. */
  async findGreatest(prefix: string, most: string): Promise<string | undefined> {
    const [found] = await this.#entries
      .find({ dedupe: { $gt: prefix, $lte: most } })
      .sort({ dedupe: -1 })
      .limit(1)
      .toArray();
    return found?.dedupe;
  }

  /** Lines of an account behind line `seq`, oldest first. */
  listAfter(accountId: string, seq: number, limit: number): Promise<LedgerEntry[]> {
    return this.#entries
      .find({ _id: { $gt: lineId(accountId, seq), $lt: `${accountId}0` } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Lines of an account of some kinds, newest first, before `beforeId`. */
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

  /** Every line of an account, oldest first. For audits and tests. */
  listAll(accountId: string): Promise<LedgerEntry[]> {
    return this.#entries
      .find({ _id: { $gt: `${accountId}/`, $lt: `${accountId}0` } })
      .sort({ _id: 1 })
      .batchSize(LISTED_AT_ONCE)
      .toArray();
  }
}

/** The embedded database reads one batch at a time for all callers, so no batch may take long. */
const LISTED_AT_ONCE = 1_000;
