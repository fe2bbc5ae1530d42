import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import type { SecretBox } from '../../kit/text/secret-box.js';
import type { RoleWord, VisibleDevices } from './members.js';
import type { SealCounts } from './seal-counts.js';

/** An API key. Its text is shown once and never stored. */
export interface KeyDocument extends VisibleDevices {
  _id: string;
  accountId: string;
  name: string;
  scope: 'read' | 'control';
  /** The member that made it, whose role and devices limit it. Absent: it belongs to the account. */
  memberId?: string;
  /** The limits that it has since its member was removed. Absent: none. */
  kept?: { role: RoleWord } & VisibleDevices;
  /** First characters of the key's text, by which people distinguish keys. */
  prefix: string;
  /** Labels as `key:value`, sorted by key. Absent: there are none. */
  labels?: string[];
  /** The URL to which events of its devices are sent; absent: they are not sent. */
  webhookUrl?: string;
  createdAt: Date;
  /** When it stops working. Absent: never. */
  expiresAt?: Date;
  /** When the event of its approaching end was claimed. Absent: it was not. */
  expiringAt?: Date;
  /** The webhook service does not have that event yet. */
  eventPending?: true;
  /** The addresses and ranges that it works from, in the form of kit/net/allow-list.ts. Absent: from everywhere. */
  allow?: string[];
  /** How many requests it may make a minute. Absent: as many as the operator lets each key. */
  requestsPerMinute?: number;
  /** When the key was last used, to the minute. Absent: never. */
  lastUsedAt?: Date;
  /** The address that it was used from then. Absent: it is not known. */
  lastUsedAddress?: string;
  revokedAt?: Date;
}

/** A new key, with the lower-case hex SHA-256 of its text. */
export type NewKey = KeyDocument & { digest: string };

/**
 * A key as it is stored. The digest is also the key's webhook secret. So with a secret box, the database does not contain the plain digest.
 */
type StoredKey = KeyDocument & {
  /** The value by which a key is found: the digest, or its keyed hash when there is a box. */
  digest: string;
  /** The digest, encrypted for this key's id. Absent: the digest was stored without a box. */
  sealed?: string;
};

/** The fields of a key that a change may remove. */
type Removable = Pick<KeyDocument, 'devicesLabel' | 'webhookUrl' | 'expiresAt' | 'allow' | 'requestsPerMinute'>;

/** The fields of a key that may change; `null` removes a field. */
export type KeyChange = Partial<Pick<KeyDocument, 'name' | 'scope' | 'devices'>> & {
  [Field in keyof Removable]?: NonNullable<Removable[Field]> | null;
};

/**
 * Matches keys that have not been revoked. With an index, null is searched for as one value, but `$exists` is not. The constant's type is
 * `object`, because the driver's type of a filter does not allow null.
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
      // An account may have any number of revoked keys. With this index, queries for valid keys skip them.
      { key: { accountId: 1, revokedAt: 1, _id: 1 }, name: 'account_valid' },
      { key: { memberId: 1, _id: 1 }, name: 'member' },
      { key: { expiresAt: 1 }, name: 'end', sparse: true },
      { key: { eventPending: 1 }, name: 'event_pending', sparse: true },
    ]);
  }

  /**
   * Encrypts digests that were stored without a box, or with the box's other key. Each key is changed by one update. So a crash between
   * keys is harmless, and other processes may use the keys meanwhile. Throws when a key is encrypted and this store's box cannot decrypt
   * it, or when there is no box.
   */
  async seal(): Promise<SealCounts> {
    const counts = { sealed: 0, again: 0, unreadable: 0 };
    for await (const { _id, digest, sealed } of this.#keys.find({}).sort({ _id: 1 })) {
      if (sealed === undefined && this.#box === undefined) continue;
      const plain = sealed === undefined ? digest : this.#box?.open(sealed, _id);
      if (plain === undefined || this.#box === undefined) {
        throw new Error(
          'The API keys in this database are sealed. Start with the SECRETS_KEY that they were sealed with.',
        );
      }
      counts.sealed++;
      if (sealed !== undefined && this.#box.sealAgain(sealed, _id) === undefined) continue;
      counts.again++;
      await this.#keys.updateOne({ _id, digest }, { $set: guarded(this.#box, _id, plain) });
    }
    return counts;
  }

  /** Returns the names of keys by their ids, also of revoked keys. */
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

  /** Returns those of the keys that have not been revoked and have not expired by `now`. */
  async findGood(ids: readonly string[], now: Date): Promise<KeyDocument[]> {
    const found = await this.#keys.find({ _id: { $in: [...ids] }, revokedAt: { $exists: false } }).toArray();
    return found.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  }

  /** Returns which of the accounts have a key with a webhook that has not been revoked. */
  async findAccountsWithWebhook(accountIds: readonly string[]): Promise<Set<string>> {
    const query = { accountId: { $in: [...accountIds] }, webhookUrl: { $exists: true }, ...VALID };
    const found = await this.#keys.find(query, { projection: { accountId: 1 } }).toArray();
    return new Set(found.map(({ accountId }) => accountId));
  }

  /** Returns the keys of an account that have a webhook and have not been revoked, with their digests. */
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

  /** Returns a key that has not been revoked. */
  findByDigest(digest: string): Promise<KeyDocument | null> {
    const forms = [...(this.#box?.lookups(digest) ?? []), digest];
    return this.#keys.findOne({ digest: { $in: forms }, revokedAt: { $exists: false } });
  }

  /**
   * Returns keys of an account that have not been revoked, oldest first, after `afterId`. A label (`key:value`) limits them when it is
   * given.
   */
  list(query: {
    accountId: string;
    label?: string | undefined;
    /** Only keys of this member. */
    memberId?: string | undefined;
    afterId: string | undefined;
    limit: number;
  }): Promise<KeyDocument[]> {
    return this.#keys
      .find({
        accountId: query.accountId,
        ...VALID,
        ...(query.memberId !== undefined && { memberId: query.memberId }),
        ...(query.label !== undefined && { labels: query.label }),
        ...(query.afterId !== undefined && { _id: { $gt: query.afterId } }),
      })
      .sort({ _id: 1 })
      .limit(query.limit)
      .toArray();
  }

  /** Changes a key that has not been revoked. Returns null when the account has no such key. */
  change(accountId: string, id: string, change: KeyChange): Promise<KeyDocument | null> {
    const entries = Object.entries(change);
    if (entries.length === 0) return this.findValid(accountId, id);
    const set = entries.filter(([, value]) => value !== null);
    // A key with another end has another event of it.
    const ofEnd = change.expiresAt === undefined ? [] : ['expiringAt', 'eventPending'];
    const unset = [...entries.flatMap(([name, value]) => (value === null ? [name] : [])), ...ofEnd];
    return this.#keys.findOneAndUpdate(
      { _id: id, accountId, revokedAt: { $exists: false } },
      {
        ...(set.length > 0 && { $set: Object.fromEntries(set) }),
        ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((name) => [name, ''])) }),
      },
      { returnDocument: 'after' },
    );
  }

  /** Removes the webhook of a key if its URL is still this one. */
  async removeWebhook(accountId: string, id: string, webhookUrl: string): Promise<void> {
    await this.#keys.updateOne({ _id: id, accountId, webhookUrl }, { $unset: { webhookUrl: '' } });
  }

  /** Returns a key of the account that has not been revoked. */
  findValid(accountId: string, id: string): Promise<KeyDocument | null> {
    return this.#keys.findOne({ _id: id, accountId, revokedAt: { $exists: false } });
  }

  /** Replaces the labels that a key had when it was read. Returns false when the key has other labels by now, or was revoked. */
  async replaceLabels({ _id, labels }: Pick<KeyDocument, '_id' | 'labels'>, wanted: string[]): Promise<boolean> {
    const { matchedCount } = await this.#keys.updateOne(
      { _id, revokedAt: { $exists: false }, labels: labels ?? { $exists: false } },
      wanted.length === 0 ? { $unset: { labels: '' } } : { $set: { labels: wanted } },
    );
    return matchedCount === 1;
  }

  /** Revokes a key; only a key of `accountId` when that is given. Returns false when there is no such valid key. */
  async revoke(id: string, at: Date, accountId?: string): Promise<boolean> {
    const { matchedCount } = await this.#keys.updateOne(
      { _id: id, ...(accountId !== undefined && { accountId }), revokedAt: { $exists: false } },
      { $set: { revokedAt: at } },
    );
    return matchedCount === 1;
  }

  /** Returns whether a member has keys that have not been revoked. */
  async existOfMember(memberId: string): Promise<boolean> {
    return (await this.#keys.findOne({ memberId, ...VALID })) !== null;
  }

  /** Revokes the keys of a member. */
  async revokeOfMember(memberId: string, at: Date): Promise<void> {
    await this.#keys.updateMany({ memberId, ...VALID }, { $set: { revokedAt: at } });
  }

  /** Makes the keys of a member ones of the account, with these limits. */
  async keepOfMember(memberId: string, kept: KeyDocument['kept'] & object): Promise<void> {
    await this.#keys.updateMany({ memberId, ...VALID }, { $set: { kept }, $unset: { memberId: '' } });
  }

  /** Removes all keys of an account, also revoked ones. */
  async deleteAll(accountId: string): Promise<void> {
    await this.#keys.deleteMany({ accountId });
  }

  /**
   * Marks the keys whose end is before `until` and not before `now`, each once, with their event in the same update. So a crash loses no event,
   * and of several processes one marks a key.
   */
  async claimExpiring(now: Date, until: Date): Promise<void> {
    await this.#keys.updateMany(
      { expiresAt: { $gt: now, $lte: until }, expiringAt: { $exists: false }, revokedAt: { $exists: false } },
      { $set: { expiringAt: now, eventPending: true } },
    );
  }

  /** Returns the keys whose event of their approaching end has not been published. */
  eventsPending(): AsyncIterable<KeyDocument> {
    return this.#keys.find({ eventPending: true });
  }

  async eventPublished({ _id, expiringAt }: Pick<KeyDocument, '_id' | 'expiringAt'>): Promise<void> {
    if (expiringAt !== undefined) await this.#keys.updateOne({ _id, expiringAt }, { $unset: { eventPending: '' } });
  }

  /** Notes a use. Without an address, the one that was noted stays. */
  async touch(id: string, at: Date, address?: string): Promise<void> {
    const lastUsedAddress = address === undefined ? {} : { lastUsedAddress: address };
    await this.#keys.updateOne({ _id: id }, { $set: { lastUsedAt: at, ...lastUsedAddress } });
  }
}

function guarded(box: SecretBox, keyId: string, digest: string): Pick<StoredKey, 'digest' | 'sealed'> {
  return { digest: box.lookup(digest), sealed: box.seal(digest, keyId) };
}
