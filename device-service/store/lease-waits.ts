import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import type { Seen } from './seen.js';

/** Which device is wanted: one by name, any with a label, or one of a pool (by the pool's id). */
export type Wanted = { device: string } | { label: string } | { pool: string };

/**
 * A call that waits for a device. Its id shows its place in the queue, as ids sort by time. If its process is killed, the call counts no
 * longer once `aliveUntil` has passed.
 */
export interface LeaseWait {
  _id: string;
  accountId: string;
  wanted: Wanted;
  /** The devices that the caller may see. Absent: all of the account. */
  seen?: Seen;
  aliveUntil: Date;
}

export class LeaseWaitStore {
  readonly #waits: Collection<LeaseWait>;

  constructor(database: Db) {
    this.#waits = database.collection<LeaseWait>('lease_waits');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#waits, [
      { key: { accountId: 1, _id: 1 }, name: 'account' },
      { key: { aliveUntil: 1 }, name: 'end', expireAfterSeconds: 0 },
    ]);
  }

  async insert(wait: LeaseWait): Promise<void> {
    await this.#waits.insertOne(wait);
  }

  async keep(id: string, aliveUntil: Date): Promise<void> {
    await this.#waits.updateOne({ _id: id }, { $set: { aliveUntil } });
  }

  async remove(id: string): Promise<void> {
    await this.#waits.deleteOne({ _id: id });
  }

  /** Returns the account's calls that wait at `now`, those that came first first; with `beforeId`, those before that one. */
  list(accountId: string, now: Date, beforeId?: string): Promise<LeaseWait[]> {
    return this.#waits
      .find({ accountId, aliveUntil: { $gt: now }, ...(beforeId !== undefined && { _id: { $lt: beforeId } }) })
      .sort({ _id: 1 })
      .toArray();
  }
}
