import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';

/** Credit that an account's owner buys online. */
export interface TopupDocument {
  _id: string;
  accountId: string;
  amountMicros: number;
  /** Stripe's latest report. A top-up that is still open at `expiresAt` has expired; its state is not changed then. */
  state: 'open' | 'pending' | 'paid' | 'failed';
  createdAt: Date;
  expiresAt: Date;
  paidAt?: Date;
  /** The sum that each refund or dispute took back, in micro-dollars, by its id. It is 0 for a reversal that was undone. */
  reversals?: Record<string, number>;
}

export class TopupStore {
  readonly #topups: Collection<TopupDocument>;

  constructor(database: Db) {
    this.#topups = database.collection<TopupDocument>('topups');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#topups, [{ key: { accountId: 1, _id: 1 }, name: 'account' }]);
  }

  async insert(topup: TopupDocument): Promise<void> {
    await this.#topups.insertOne(topup);
  }

  find(topupId: string): Promise<TopupDocument | null> {
    return this.#topups.findOne({ _id: topupId });
  }

  /** Returns the top-ups of an account, newest first, older than `beforeId`. */
  list(accountId: string, limit: number, beforeId?: string): Promise<TopupDocument[]> {
    return this.#topups
      .find({ accountId, ...(beforeId !== undefined && { _id: { $lt: beforeId } }) })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Moves a top-up to `to` if it is in one of `from`; in any other state it stays as it is. */
  async move(topupId: string, from: TopupDocument['state'][], to: TopupDocument['state']): Promise<void> {
    await this.#topups.updateOne({ _id: topupId, state: { $in: from } }, { $set: { state: to } });
  }

  /** Notes that the top-up is paid. Only the first time is noted. */
  async setPaid(topupId: string, paidAt: Date): Promise<void> {
    await this.#topups.updateOne({ _id: topupId, state: { $ne: 'paid' } }, { $set: { state: 'paid', paidAt } });
  }

  /** Notes a reversal, unless it is known already. */
  async addReversal(topupId: string, reversalId: string, amountMicros: number): Promise<void> {
    const field = `reversals.${reversalId}`;
    await this.#topups.updateOne({ _id: topupId, [field]: { $exists: false } }, { $set: { [field]: amountMicros } });
  }

  /** Notes that a reversal was undone. The reversal itself need not have been noted before. */
  async undoReversal(topupId: string, reversalId: string): Promise<void> {
    await this.#topups.updateOne({ _id: topupId }, { $set: { [`reversals.${reversalId}`]: 0 } });
  }
}
