import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';

/** A reservation exists from before a new device is charged until the device is made. See accounts/billing/creation-payment.ts. */
export interface ReservationDocument {
  /** The phone id of the device that is to be made. */
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

  /** Makes a reservation, or replaces the fields of the one that exists, so that a repeated creation moves its end. */
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
