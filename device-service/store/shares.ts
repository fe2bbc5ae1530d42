import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import type { GroupMaker } from './groups.js';
import { insertNew } from './insert-new.js';

/** A link that opens the live screen of one phone. Its token is shown once and never stored. */
export interface ShareDocument {
  /** `shr_…`: the share's id in lists, and the caller's id in logs and timelines. */
  _id: string;
  /** Lower-case hex SHA-256 of the token. */
  digest: string;
  accountId: string;
  phoneId: string;
  /**
   * The number of its place among the shares of the phone, from 0 on. No two shares have the same place, so there are never more shares
   * than places.
   */
  place: number;
  access: 'read' | 'control';
  /** The hand-over whose link it is; it works while the device has that. Absent: it is an ordinary share. */
  handoverId?: string;
  maker: GroupMaker;
  createdAt: Date;
  expiresAt: Date;
  /** When the share was last used, to the minute. Absent: never. */
  lastUsedAt?: Date;
}

export class ShareStore {
  readonly #shares: Collection<ShareDocument>;

  constructor(database: Db) {
    this.#shares = database.collection<ShareDocument>('shares');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#shares, [
      { key: { digest: 1 }, name: 'digest', unique: true },
      { key: { phoneId: 1, place: 1 }, name: 'place', unique: true },
      { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    ]);
  }

  /** Inserts a share. Returns false when another share has its place. */
  insert(share: ShareDocument): Promise<boolean> {
    return insertNew(this.#shares, share);
  }

  /** Returns a share, also when it has expired and is not removed yet. */
  findByDigest(digest: string): Promise<ShareDocument | null> {
    return this.#shares.findOne({ digest });
  }

  find(id: string): Promise<ShareDocument | null> {
    return this.#shares.findOne({ _id: id });
  }

  /** Returns the shares of a phone by their places, also expired ones. */
  list(phoneId: string): Promise<ShareDocument[]> {
    return this.#shares.find({ phoneId }).sort({ place: 1 }).toArray();
  }

  /** Removes a share of a phone. Returns false when there is none. */
  async remove(phoneId: string, id: string): Promise<boolean> {
    return (await this.#shares.deleteOne({ _id: id, phoneId })).deletedCount === 1;
  }

  async removeOfPhone(phoneId: string): Promise<void> {
    await this.#shares.deleteMany({ phoneId });
  }

  /** Removes the shares of a phone by which it can be controlled, other than those that `makerId` made. */
  async removeControlOfOthers(phoneId: string, makerId: string): Promise<void> {
    await this.#shares.deleteMany({ phoneId, access: 'control', 'maker.id': { $ne: makerId } });
  }

  async touch(id: string, at: Date): Promise<void> {
    await this.#shares.updateOne({ _id: id }, { $set: { lastUsedAt: at } });
  }
}
