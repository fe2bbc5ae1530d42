import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/put-indexes.js';

/** Exists from before a creation is charged until its device is made, see billing/creation-payment.ts. */
export interface ReservationDocument {
  /** The phone id of the device that is to be. */
  _id: string;
  accountId: string;
  expiresAt: Date;
}

export class ReservationStore {
  readonly #reservations: Collection<ReservationDocument>;

  constructor(database: Db) {
    this.#reservations = database.collection<ReservationDocument>('reservations');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#reservations, [{ key: { expiresAt: 1 }, name: 'expires' }]);
  }

  /** Making it again, with a later end, is the same. */
  async insert({ _id, ...fields }: ReservationDocument): Promise<void> {
    await this.#reservations.updateOne({ _id }, { $set: fields }, { upsert: true });
  }

  async delete(phoneId: string): Promise<void> {
    await this.#reservations.deleteOne({ _id: phoneId });
  }

  findLapsed(now: Date): Promise<ReservationDocument[]> {
    return this.#reservations
      .find({ expiresAt: { $lt: now } })
      .limit(100)
      .toArray();
  }
}
