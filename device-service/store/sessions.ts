import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';

/** A browser in which an account's owner is signed in. */
export interface SessionDocument {
  /** Lower-case hex SHA-256 of the token. */
  _id: string;
  /** `ses_…`: the session's id in logs and as the maker of devices. */
  id: string;
  accountId: string;
  /** The address from which its owner signed in; `unknown` for a session of an older release. */
  address: string;
  createdAt: Date;
  /** When the session was last used, to the hour. */
  usedAt: Date;
  expiresAt: Date;
}

/** Returns whether the id of a caller is that of an owner's session; otherwise it is that of a key or a share. */
export function isSessionId(id: string): boolean {
  return id.startsWith('ses_');
}

export class SessionStore {
  readonly #sessions: Collection<SessionDocument>;

  constructor(database: Db) {
    this.#sessions = database.collection<SessionDocument>('sessions');
  }

  /** Adds an address to sessions of older releases, which have none. */
  async addAddresses(): Promise<void> {
    await this.#sessions.updateMany({ address: { $exists: false } }, { $set: { address: 'unknown' } });
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#sessions, [
      { key: { id: 1 }, name: 'id', unique: true },
      { key: { accountId: 1 }, name: 'account' },
      { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    ]);
  }

  async insert(session: SessionDocument): Promise<void> {
    await this.#sessions.insertOne(session);
  }

  find(digest: string): Promise<SessionDocument | null> {
    return this.#sessions.findOne({ _id: digest });
  }

  async touch(digest: string, usedAt: Date, expiresAt: Date): Promise<void> {
    await this.#sessions.updateOne({ _id: digest }, { $set: { usedAt, expiresAt } });
  }

  /** Returns the sessions of an account, newest first. */
  list(accountId: string): Promise<SessionDocument[]> {
    return this.#sessions.find({ accountId }).sort({ createdAt: -1, id: -1 }).toArray();
  }

  /** Ends a session of the account. Returns false when there is none. */
  async end(accountId: string, id: string): Promise<boolean> {
    return (await this.#sessions.deleteOne({ id, accountId })).deletedCount === 1;
  }

  /** Ends the oldest sessions of an account, until `most` are left. Returns whether any was ended. */
  async endOldest(accountId: string, most: number): Promise<boolean> {
    const oldest = (await this.list(accountId)).slice(most);
    if (oldest.length > 0) await this.#sessions.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } });
    return oldest.length > 0;
  }

  /** Ends the sessions of an account, except the one with the id `kept`. */
  async endAll(accountId: string, kept?: string): Promise<void> {
    await this.#sessions.deleteMany({ accountId, ...(kept !== undefined && { id: { $ne: kept } }) });
  }

  /** Returns which of the sessions are still valid. */
  async findGood(ids: readonly string[], now: Date): Promise<string[]> {
    const good = await this.#sessions.find({ id: { $in: [...ids] }, expiresAt: { $gt: now } }).toArray();
    return good.map(({ id }) => id);
  }
}
