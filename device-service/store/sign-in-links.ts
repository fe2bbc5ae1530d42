import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';

/** A link of the operator that signs a person in once. Its token is shown once and never stored. */
export interface SignInLinkDocument {
  /** Lower-case hex SHA-256 of the token. */
  _id: string;
  personId: string;
  expiresAt: Date;
}

export class SignInLinkStore {
  readonly #links: Collection<SignInLinkDocument>;

  constructor(database: Db) {
    this.#links = database.collection<SignInLinkDocument>('signInLinks');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#links, [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }]);
  }

  async insert(link: SignInLinkDocument): Promise<void> {
    await this.#links.insertOne(link);
  }

  /** Takes a link, so that nobody uses it twice. Returns null when there is none, or its time is over. */
  async claim(digest: string, now: Date): Promise<SignInLinkDocument | null> {
    return this.#links.findOneAndDelete({ _id: digest, expiresAt: { $gt: now } });
  }
}
