import type { Collection, Db } from 'mongodb';
import { documentErrors, isDuplicateKey } from '../../kit/mongo.js';
import type { ChargedDevice } from './ledger.js';

/** The charges of one phone on one day of UTC, summed. */
export interface UsageDay extends ChargedDevice {
  /** `<account>/<day>/<phone>`, the day such as 2026-11-01: so the days of an account are a range of ids. */
  _id: string;
  /** The last line of the account's ledger that is in the sums, which contain every line of the phone and day up to it. */
  seq: number;
  minutes: number;
  /** Charges are negative. Micro-dollars. */
  amountMicros: number;
}

/** How far an account's ledger has been summed. */
interface SummedLedger {
  /** The account. */
  _id: string;
  /** Every line up to this one is in the sums of its day. */
  seq: number;
}

/** The sums of ledgers by phone and day. How lines get into them: billing/daily-usage.ts. */
export class UsageDayStore {
  readonly #days: Collection<UsageDay>;
  readonly #summed: Collection<SummedLedger>;

  constructor(database: Db) {
    this.#days = database.collection<UsageDay>('usage_days');
    this.#summed = database.collection<SummedLedger>('summed_ledgers');
  }

  /** The number of the line up to which the account's ledger has been summed; 0 when none of it has. */
  async summedThrough(accountId: string): Promise<number> {
    return (await this.#summed.findOne({ _id: accountId }))?.seq ?? 0;
  }

  /** Notes that the lines up to `seq` have been summed, when the note was `before`; otherwise leaves what another process has noted. */
  async noteSummed(accountId: string, before: number, seq: number): Promise<void> {
    if (before > 0) {
      await this.#summed.updateOne({ _id: accountId, seq: before }, { $set: { seq } });
      return;
    }
    try {
      await this.#summed.insertOne({ _id: accountId, seq });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  async find(ids: readonly string[]): Promise<UsageDay[]> {
    return this.#days.find({ _id: { $in: [...ids] } }).toArray();
  }

  /**
   * Writes each day over the one that was read, whose number is `before`: 0 when there was none. Returns false when another process
   * had changed one of them; that one is left as it is.
   */
  async replace(days: readonly { day: UsageDay; before: number }[]): Promise<boolean> {
    const operations = days.map(({ day, before }) => {
      if (before === 0) return { insertOne: { document: day } };
      const { _id, ...sums } = day;
      return { updateOne: { filter: { _id, seq: before }, update: { $set: sums } } };
    });
    try {
      const { insertedCount, matchedCount } = await this.#days.bulkWrite(operations, { ordered: false });
      return insertedCount + matchedCount === days.length;
    } catch (error) {
      const other = documentErrors(error).find(({ isDuplicate }) => !isDuplicate);
      if (other !== undefined) throw error;
      return false;
    }
  }

  /** Days of an account, oldest first, from `first` up to `before`, each such as 2026-11-01. */
  list(accountId: string, first: string, before: string): AsyncIterable<UsageDay> {
    return this.#days
      .find({ _id: { $gte: `${accountId}/${first}`, $lt: `${accountId}/${before}` } })
      .sort({ _id: 1 })
      .batchSize(LISTED_AT_ONCE);
  }
}

/** The embedded database reads one batch at a time for all callers, so no batch may take long. */
const LISTED_AT_ONCE = 1_000;
