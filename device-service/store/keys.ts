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
  revokedAt?: Date;
}

export class KeyStore {
  readonly #keys: Collection<KeyDocument>;

  constructor(database: Db) {
    this.#keys = database.collection<KeyDocument>('keys');
  }

  async createIndexes(): Promise<void> {
    await this.#keys.createIndexes([
      { key: { digest: 1 }, name: 'digest', unique: true },
      { key: { accountId: 1 }, name: 'account' },
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
}
