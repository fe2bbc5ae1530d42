import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { insertNew } from './insert-new.js';
import type { SecondFactors } from './second-factors.js';

/** Someone who signs in. A person is a member of one account or of several. */
export interface PersonDocument {
  /** `per_…`. The person that an account was made for has the account's id after the first underscore (ownerIdOf). */
  _id: string;
  /** The e-mail address, in lower case. It never changes. */
  email: string;
  /** Absent: the person gave none. */
  name?: string;
  /** The argon2id hash, in the usual text form. Absent: the person signs in without a password. */
  passwordHash?: string;
  createdAt: Date;
  /** When the person first showed to read mail at the address. Absent: never. */
  verifiedAt?: Date;
  /** The account that the person was last in, where the next session begins. Absent: the first one that the person joined. */
  lastAccountId?: string;
  /** Absent: the person never began one. */
  secondFactors?: SecondFactors;
  /** The operator lets the next identity with this verified address sign in as the person. Absent: no. */
  providerAllowed?: boolean;
}

/** Returns the id of the person that an account was made for. */
export function ownerIdOf(accountId: string): string {
  return accountId.replace(/^acc_/, 'per_');
}

/** Returns the id of the account that was made for a person, whether or not there is one. */
export function accountMadeFor(personId: string): string {
  return personId.replace(/^per_/, 'acc_');
}

export class PersonStore {
  readonly #people: Collection<PersonDocument>;

  constructor(database: Db) {
    this.#people = database.collection<PersonDocument>('people');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#people, [{ key: { email: 1 }, name: 'email', unique: true }]);
  }

  /** Inserts a person. Returns false when there is this person, or another with this e-mail. */
  insert(person: PersonDocument): Promise<boolean> {
    return insertNew(this.#people, person);
  }

  find(id: string): Promise<PersonDocument | null> {
    return this.#people.findOne({ _id: id });
  }

  findByIds(ids: readonly string[]): Promise<PersonDocument[]> {
    return this.#people.find({ _id: { $in: [...ids] } }).toArray();
  }

  findByEmail(email: string): Promise<PersonDocument | null> {
    return this.#people.findOne({ email: email.toLowerCase() });
  }

  /** Sets the password. Returns false when the password is no longer the one with the hash `old`. */
  async setPassword(id: string, passwordHash: string, old?: string): Promise<boolean> {
    const filter = { _id: id, ...(old !== undefined && { passwordHash: old }) };
    return (await this.#people.updateOne(filter, { $set: { passwordHash } })).matchedCount === 1;
  }

  /** Removes the password: the person signs in by the identity provider, or sets a new one by a link. */
  async removePassword(id: string): Promise<void> {
    await this.#people.updateOne({ _id: id }, { $unset: { passwordHash: '' } });
  }

  /** Replaces the second factors while they have the version that was read; undefined: there were none. Returns false after another change. */
  async setSecondFactors(id: string, version: number | undefined, secondFactors: SecondFactors): Promise<boolean> {
    const filter = { _id: id, 'secondFactors.version': version ?? { $exists: false } };
    return (await this.#people.updateOne(filter, { $set: { secondFactors } })).matchedCount === 1;
  }

  /** Returns people, those that came first before, after `afterId`. */
  list(limit: number, afterId?: string): Promise<PersonDocument[]> {
    return this.#people
      .find(afterId === undefined ? {} : { _id: { $gt: afterId } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Notes that the person reads mail at the address; the first time stays. */
  async setVerified(id: string, verifiedAt: Date): Promise<void> {
    await this.#people.updateOne({ _id: id, verifiedAt: { $exists: false } }, { $set: { verifiedAt } });
  }

  async setName(id: string, name: string): Promise<void> {
    await this.#people.updateOne({ _id: id }, { $set: { name } });
  }

  async setLastAccount(id: string, lastAccountId: string): Promise<void> {
    await this.#people.updateOne({ _id: id }, { $set: { lastAccountId } });
  }

  /** Lets an identity with the person's address sign in as the person, once. */
  async allowProvider(id: string): Promise<void> {
    await this.#people.updateOne({ _id: id }, { $set: { providerAllowed: true } });
  }

  /** Uses up what allowProvider has allowed. Returns false where nothing is allowed. */
  async claimProvider(id: string): Promise<boolean> {
    const { matchedCount } = await this.#people.updateOne(
      { _id: id, providerAllowed: true },
      { $unset: { providerAllowed: '' } },
    );
    return matchedCount === 1;
  }

  async remove(id: string): Promise<void> {
    await this.#people.deleteOne({ _id: id });
  }
}
