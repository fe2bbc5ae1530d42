import { createHash } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { insertNew } from './insert-new.js';

/** Someone at an identity provider, and the person here. */
export interface IdentityDocument {
  /** Lower-case hex SHA-256 of issuer and subject, see identityId. */
  _id: string;
  issuer: string;
  /** The provider's id of the person, which never changes, unlike an e-mail address. */
  subject: string;
  personId: string;
  createdAt: Date;
}

/** Returns the id of an identity. Both texts are the provider's, of any length, so they make a digest. */
export function identityId(issuer: string, subject: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
}

export class IdentityStore {
  readonly #identities: Collection<IdentityDocument>;

  constructor(database: Db) {
    this.#identities = database.collection<IdentityDocument>('identities');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#identities, [{ key: { personId: 1 }, name: 'person' }]);
  }

  find(id: string): Promise<IdentityDocument | null> {
    return this.#identities.findOne({ _id: id });
  }

  /** Inserts an identity. Returns false when it is here already. */
  insert(identity: IdentityDocument): Promise<boolean> {
    return insertNew(this.#identities, identity);
  }

  /** Removes an identity whose person is gone. */
  async remove({ _id, personId }: Pick<IdentityDocument, '_id' | 'personId'>): Promise<void> {
    await this.#identities.deleteOne({ _id, personId });
  }

  /** Removes all identities of a person. */
  async removeOfPerson(personId: string): Promise<void> {
    await this.#identities.deleteMany({ personId });
  }
}
