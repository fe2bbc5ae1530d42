import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/put-indexes.js';
import type { SecretBox } from '../../kit/secret-box.js';

/** An API key. Its text is shown once and never stored. */
export interface KeyDocument {
  _id: string;
  accountId: string;
  name: string;
  scope: 'read' | 'control';
  /** Device names, or `['*']` for all. */
  devices: string[];
  /** First characters of the text, by which people distinguish keys. */
  prefix: string;
  /** `key:value`, sorted by key. Absent: none. */
  labels?: string[];
  /** Where events of its devices go; absent: nowhere. */
  webhookUrl?: string;
  createdAt: Date;
  /** To the minute. Absent: never used. */
  lastUsedAt?: Date;
  revokedAt?: Date;
}

/** A new key, with the lower-case hex SHA-256 of its text. */
export type NewKey = KeyDocument & { digest: string };

/** The digest is also the webhook secret, so it is guarded like one: with a secret box it is not in the database as it is. */
type StoredKey = KeyDocument & {
  /** The value that a key is found by: the digest, or its sealed form. */
  digest: string;
  /** The digest, sealed for this key's id. Absent: it was stored without a box. */
  sealed?: string;
};

/** The fields of a key that may change; `null` takes the webhook away. */
export type KeyChange = Partial<Pick<KeyDocument, 'name' | 'scope' | 'devices'>> & { webhookUrl?: string | null };

/**
 * Matches keys that have not been revoked. In an index the comparison with null is one value, and `$exists` is none. As an object: the
 * driver's type of a filter has no null.
 */
const VALID: object = { revokedAt: null };

export class KeyStore {
  readonly #keys: Collection<StoredKey>;
  readonly #box: SecretBox | undefined;

  /** Without a box, digests are stored as they are. */
  constructor(database: Db, box?: SecretBox) {
    this.#keys = database.collection<StoredKey>('keys');
    this.#box = box;
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#keys, [
      { key: { digest: 1 }, name: 'digest', unique: true },
      { key: { accountId: 1, _id: 1 }, name: 'account_keys' },
      // An account may have revoked any number of keys.
      { key: { accountId: 1, revokedAt: 1, _id: 1 }, name: 'account_valid' },
    ]);
  }

  /**
   * Seals digests that were stored without a box. Each key is one update, so it may be cut short anywhere, and others may use the keys
   * meanwhile. Throws for keys that were sealed with another box.
   */
  async seal(): Promise<void> {
    for await (const { _id, digest, sealed } of this.#keys.find({}).sort({ _id: 1 })) {
      if (sealed === undefined) {
        if (this.#box === undefined) continue;
        await this.#keys.updateOne({ _id, digest }, { $set: guarded(this.#box, _id, digest) });
      } else if (this.#box?.open(sealed, _id) === undefined) {
        throw new Error(
          'The API keys in this database are sealed. Start with the SECRETS_KEY that they were sealed with.',
        );
      }
    }
  }

  /** Names of keys by their ids, also of revoked ones. */
  async findNames(ids: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#keys.find({ _id: { $in: [...ids] } }, { projection: { name: 1 } }).toArray();
    return new Map(found.map(({ _id, name }) => [_id, name]));
  }

  async insert({ digest, ...key }: NewKey): Promise<void> {
    const stored = this.#box === undefined ? { digest } : guarded(this.#box, key._id, digest);
    await this.#keys.insertOne({ ...key, ...stored });
  }

  async existsFor(accountId: string): Promise<boolean> {
    return (await this.#keys.findOne({ accountId })) !== null;
  }

  /** Those keys that have not been revoked. */
  findGood(ids: readonly string[]): Promise<KeyDocument[]> {
    return this.#keys.find({ _id: { $in: [...ids] }, revokedAt: { $exists: false } }).toArray();
  }

  /** Keys of an account that have a webhook and have not been revoked, with their digests. */
  async findWithWebhook(accountId: string): Promise<NewKey[]> {
    const query = { accountId, webhookUrl: { $exists: true }, ...VALID };
    const keys = await this.#keys.find(query).toArray();
    return keys.map((key) => {
      if (key.sealed === undefined) return key;
      const digest = this.#box?.open(key.sealed, key._id);
      if (digest === undefined) throw new Error(`${key._id} was sealed with another SECRETS_KEY`);
      return { ...key, digest };
    });
  }

  /** A key that has not been revoked. */
  findByDigest(digest: string): Promise<KeyDocument | null> {
    const forms = this.#box === undefined ? [digest] : [this.#box.lookup(digest), digest];
    return this.#keys.findOne({ digest: { $in: forms }, revokedAt: { $exists: false } });
  }

  /** Keys of an account that have not been revoked, oldest first, after `afterId`; of one label, as `key:value`, when it is given. */
  list(query: {
    accountId: string;
    label?: string | undefined;
    afterId: string | undefined;
    limit: number;
  }): Promise<KeyDocument[]> {
    return this.#keys
      .find({
        accountId: query.accountId,
        ...VALID,
        ...(query.label !== undefined && { labels: query.label }),
        ...(query.afterId !== undefined && { _id: { $gt: query.afterId } }),
      })
      .sort({ _id: 1 })
      .limit(query.limit)
      .toArray();
  }

  /** Changes a key that has not been revoked. Returns null when the account has no such key. */
  change(accountId: string, id: string, { webhookUrl, ...fields }: KeyChange): Promise<KeyDocument | null> {
    const set = { ...fields, ...(typeof webhookUrl === 'string' && { webhookUrl }) };
    const filter = { _id: id, accountId, revokedAt: { $exists: false } };
    if (Object.keys(set).length === 0 && webhookUrl === undefined) return this.findValid(accountId, id);
    return this.#keys.findOneAndUpdate(
      filter,
      {
        ...(Object.keys(set).length > 0 && { $set: set }),
        ...(webhookUrl === null && { $unset: { webhookUrl: '' } }),
      },
      { returnDocument: 'after' },
    );
  }

  /** Takes away the webhook of a key while it is this one. */
  async removeWebhook(accountId: string, id: string, webhookUrl: string): Promise<void> {
    await this.#keys.updateOne({ _id: id, accountId, webhookUrl }, { $unset: { webhookUrl: '' } });
  }

  /** A key of the account that has not been revoked. */
  findValid(accountId: string, id: string): Promise<KeyDocument | null> {
    return this.#keys.findOne({ _id: id, accountId, revokedAt: { $exists: false } });
  }

  /** Replaces the labels that a key had when it was read. Returns false where they are others now, or the key was revoked. */
  async replaceLabels({ _id, labels }: Pick<KeyDocument, '_id' | 'labels'>, wanted: string[]): Promise<boolean> {
    const { matchedCount } = await this.#keys.updateOne(
      { _id, revokedAt: { $exists: false }, labels: labels ?? { $exists: false } },
      wanted.length === 0 ? { $unset: { labels: '' } } : { $set: { labels: wanted } },
    );
    return matchedCount === 1;
  }

  /** Revokes a key, of `accountId` when that is given. Returns false when there is no such valid key. */
  async revoke(id: string, at: Date, accountId?: string): Promise<boolean> {
    const { matchedCount } = await this.#keys.updateOne(
      { _id: id, ...(accountId !== undefined && { accountId }), revokedAt: { $exists: false } },
      { $set: { revokedAt: at } },
    );
    return matchedCount === 1;
  }

  /** Removes all keys of an account, also revoked ones. */
  async deleteAll(accountId: string): Promise<void> {
    await this.#keys.deleteMany({ accountId });
  }

  async touch(id: string, at: Date): Promise<void> {
    await this.#keys.updateOne({ _id: id }, { $set: { lastUsedAt: at } });
  }
}

function guarded(box: SecretBox, keyId: string, digest: string): Pick<StoredKey, 'digest' | 'sealed'> {
  return { digest: box.lookup(digest), sealed: box.seal(digest, keyId) };
}
