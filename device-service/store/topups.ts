import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/put-indexes.js';

/** Credit that an account's owner buys online. */
export interface TopupDocument {
  _id: string;
  accountId: string;
  amountMicros: number;
  /** Stripe's latest report. One that stays open until its time is over has expired; nothing is written then. */
  state: 'open' | 'pending' | 'paid' | 'failed';
  createdAt: Date;
  expiresAt: Date;
  paidAt?: Date;
  /** The sum that was taken off again, in micro-dollars, by the refund or dispute; 0 for one that came to nothing. */
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

  /** Of an account, newest first, older than `beforeId`. */
  list(accountId: string, limit: number, beforeId?: string): Promise<TopupDocument[]> {
    return this.#topups
      .find({ accountId, ...(beforeId !== undefined && { _id: { $lt: beforeId } }) })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Moves it to `to` from one of `from`; from any other state it stays where it is. */
  async move(topupId: string, from: TopupDocument['state'][], to: TopupDocument['state']): Promise<void> {
    await this.#topups.updateOne({ _id: topupId, state: { $in: from } }, { $set: { state: to } });
  }

  /** Notes that it is paid. The first time counts. */
  async setPaid(topupId: string, paidAt: Date): Promise<void> {
    await this.#topups.updateOne({ _id: topupId, state: { $ne: 'paid' } }, { $set: { state: 'paid', paidAt } });
  }

  /** Notes a reversal, unless it is known. */
  async addReversal(topupId: string, reversalId: string, amountMicros: number): Promise<void> {
    const field = `reversals.${reversalId}`;
    await this.#topups.updateOne({ _id: topupId, [field]: { $exists: false } }, { $set: { [field]: amountMicros } });
  }

  /** Notes that a reversal came to nothing, whether it is known or not. */
  async undoReversal(topupId: string, reversalId: string): Promise<void> {
    await this.#topups.updateOne({ _id: topupId }, { $set: { [`reversals.${reversalId}`]: 0 } });
  }
}
