import type { Collection, Db } from 'mongodb';

/** An API key. Its text is shown once and never stored; the digest is also the webhook secret, so it is guarded like one. */
export interface KeyDocument {
  _id: string;
  accountId: string;
  name: string;
  scope: 'read' | 'control';
  /** Device names, or `['*']` for all. */
  devices: string[];
  /** Lower-case hex SHA-256 of the key's text. */
  digest: string;
  /** First characters of the text, for people to tell keys apart. */
  prefix: string;
  /** Where events of its devices go; absent: nowhere. */
  webhookUrl?: string;
  createdAt: Date;
  /** To the minute. Absent: never used. */
  lastUsedAt?: Date;
  revokedAt?: Date;
}

/** What may change about a key; `null` takes the webhook away. */
export type KeyChange = Partial<Pick<KeyDocument, 'name' | 'scope' | 'devices'>> & { webhookUrl?: string | null };

export class KeyStore {
  readonly #keys: Collection<KeyDocument>;

  constructor(database: Db) {
    this.#keys = database.collection<KeyDocument>('keys');
  }

  async createIndexes(): Promise<void> {
    await this.#keys.createIndexes([
      { key: { digest: 1 }, name: 'digest', unique: true },
      { key: { accountId: 1, _id: 1 }, name: 'account_keys' },
    ]);
  }

  async insert(key: KeyDocument): Promise<void> {
    await this.#keys.insertOne(key);
  }

  async existsFor(accountId: string): Promise<boolean> {
    return (await this.#keys.findOne({ accountId })) !== null;
  }

  /** Ids of those keys that have not been revoked. */
  async findGood(ids: readonly string[]): Promise<string[]> {
    const good = await this.#keys.find({ _id: { $in: [...ids] }, revokedAt: { $exists: false } }).toArray();
    return good.map(({ _id }) => _id);
  }

  /** Keys of an account that have a webhook and have not been revoked. */
  findWithWebhook(accountId: string): Promise<KeyDocument[]> {
    return this.#keys.find({ accountId, webhookUrl: { $exists: true }, revokedAt: { $exists: false } }).toArray();
  }

  /** A key that has not been revoked. */
  findByDigest(digest: string): Promise<KeyDocument | null> {
    return this.#keys.findOne({ digest, revokedAt: { $exists: false } });
  }

  /** Keys of an account that have not been revoked, oldest first, after `afterId`. */
  list(query: { accountId: string; afterId?: string; limit: number }): Promise<KeyDocument[]> {
    return this.#keys
      .find({
        accountId: query.accountId,
        revokedAt: { $exists: false },
        ...(query.afterId !== undefined && { _id: { $gt: query.afterId } }),
      })
      .sort({ _id: 1 })
      .limit(query.limit)
      .toArray();
  }

  /** Changes a key that has not been revoked. Answers null when the account has no such key. */
  change(accountId: string, id: string, { webhookUrl, ...fields }: KeyChange): Promise<KeyDocument | null> {
    const set = { ...fields, ...(typeof webhookUrl === 'string' && { webhookUrl }) };
    const filter = { _id: id, accountId, revokedAt: { $exists: false } };
    if (Object.keys(set).length === 0 && webhookUrl === undefined) return this.#keys.findOne(filter);
    return this.#keys.findOneAndUpdate(
      filter,
      {
        ...(Object.keys(set).length > 0 && { $set: set }),
        ...(webhookUrl === null && { $unset: { webhookUrl: '' } }),
      },
      { returnDocument: 'after' },
    );
  }

  /** Revokes a key, of `accountId` when that is given. Answers false when there is no such key that is good. */
  async revoke(id: string, at: Date, accountId?: string): Promise<boolean> {
    const { matchedCount } = await this.#keys.updateOne(
      { _id: id, ...(accountId !== undefined && { accountId }), revokedAt: { $exists: false } },
      { $set: { revokedAt: at } },
    );
    return matchedCount === 1;
  }

  async touch(id: string, at: Date): Promise<void> {
    await this.#keys.updateOne({ _id: id }, { $set: { lastUsedAt: at } });
  }
}
