import type { Collection, Db } from 'mongodb';

/** A browser in which an account's owner is signed in. */
export interface SessionDocument {
  /** Lower-case hex SHA-256 of the token. */
  _id: string;
  /** `ses_…`: its id in logs and as the maker of devices. */
  id: string;
  accountId: string;
  createdAt: Date;
  /** To the hour. */
  usedAt: Date;
  expiresAt: Date;
}

export class SessionStore {
  readonly #sessions: Collection<SessionDocument>;

  constructor(database: Db) {
    this.#sessions = database.collection<SessionDocument>('sessions');
  }

  async createIndexes(): Promise<void> {
    await this.#sessions.createIndexes([
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

  async end(id: string): Promise<void> {
    await this.#sessions.deleteOne({ id });
  }

  async endAll(accountId: string): Promise<void> {
    await this.#sessions.deleteMany({ accountId });
  }

  /** Ids of those sessions that still are. */
  async findGood(ids: readonly string[], now: Date): Promise<string[]> {
    const good = await this.#sessions.find({ id: { $in: [...ids] }, expiresAt: { $gt: now } }).toArray();
    return good.map(({ id }) => id);
  }
}
