import type { Collection, Db } from 'mongodb';
import { documentErrors, isDuplicateKey } from '../../kit/db/mongo.js';
import type { ChargedDevice } from './ledger.js';

/** The charges of one phone on one day of UTC, summed. */
export interface UsageDay extends ChargedDevice {
  /** `<account>/<day>/<phone>`, with a day such as 2026-11-01. So the days of an account are a range of ids. */
  _id: string;
  /** The number of the ledger's last line in the sums. The sums contain every line of the phone and day up to that line. */
  seq: number;
  minutes: number;
  /** The amount in micro-dollars; charges are negative. */
  amountMicros: number;
}

/** How far an account's ledger has been summed. */
interface SummedLedger {
  /** The account. */
  _id: string;
  /** The number of the last line that is in the sums; every line before it is in the sums of its day too. */
  seq: number;
}

/** The sums of ledgers by phone and day. How lines get into them is in accounts/billing/daily-usage.ts. */
export class UsageDayStore {
  readonly #days: Collection<UsageDay>;
  readonly #summed: Collection<SummedLedger>;

  constructor(database: Db) {
    this.#days = database.collection<UsageDay>('usage_days');
    this.#summed = database.collection<SummedLedger>('summed_ledgers');
  }

  /** Returns the number of the line up to which the account's ledger has been summed; 0 when none of it has. */
  async summedThrough(accountId: string): Promise<number> {
    return (await this.#summed.findOne({ _id: accountId }))?.seq ?? 0;
  }

  /** Notes that the lines up to `seq` have been summed, if the note was `before`. Otherwise, another process's note stays. */
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
   * Replaces days that were read. `before` is the `seq` of the day when it was read; 0 when the day was not there. Returns false when
   * another process had changed one of the days; that one is left as it is.
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

  /** Returns the days of an account from `first` on and before `before`, oldest first. Both are such as 2026-11-01. */
  list(accountId: string, first: string, before: string): AsyncIterable<UsageDay> {
    return this.#days
      .find({ _id: { $gte: `${accountId}/${first}`, $lt: `${accountId}/${before}` } })
      .sort({ _id: 1 })
      .batchSize(LISTED_AT_ONCE);
  }

  /** Returns days of an account before `before`, such as 2026-11-01, newest first. */
  listNewest(accountId: string, before: string): AsyncIterable<UsageDay> {
    return this.#days
      .find({ _id: { $gte: `${accountId}/`, $lt: `${accountId}/${before}` } })
      .sort({ _id: -1 })
      .batchSize(LISTED_AT_ONCE);
  }
}

/** Returns the day of a sum, such as 2026-11-01, from its id. */
export function dayOfUsage({ _id, phoneId }: Pick<UsageDay, '_id' | 'phoneId'>): string {
  return _id.slice(-phoneId.length - 11, -phoneId.length - 1);
}

/** How many days are read at a time. The embedded database reads one batch at a time for all callers, so no batch may take long. */
const LISTED_AT_ONCE = 1_000;
