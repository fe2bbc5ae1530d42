import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';

/** What a link of a mail is for. */
export type MailLinkUse = 'reset' | 'verification';

/** A link that was mailed to a person, or that the operator passes on. Its token is never stored. */
export interface MailLinkDocument {
  /** Lower-case hex SHA-256 of the token. */
  _id: string;
  use: MailLinkUse;
  personId: string;
  /** Whether it was mailed, and so shows that the person reads mail at the address. */
  mailed: boolean;
  expiresAt: Date;
}

export class MailLinkStore {
  readonly #links: Collection<MailLinkDocument>;

  constructor(database: Db) {
    this.#links = database.collection<MailLinkDocument>('mailLinks');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#links, [
      { key: { personId: 1, use: 1 }, name: 'person' },
      { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    ]);
  }

  async insert(link: MailLinkDocument): Promise<void> {
    await this.#links.insertOne(link);
  }

  /** Returns a link that has not expired. */
  find(digest: string, use: MailLinkUse, now: Date): Promise<MailLinkDocument | null> {
    return this.#links.findOne({ _id: digest, use, expiresAt: { $gt: now } });
  }

  /** Removes a link that has not expired, and returns it. Only one of several callers at the same time gets it. */
  take(digest: string, use: MailLinkUse, now: Date): Promise<MailLinkDocument | null> {
    return this.#links.findOneAndDelete({ _id: digest, use, expiresAt: { $gt: now } });
  }

  /** Removes the links of a person for one use. */
  async removeOf(personId: string, use: MailLinkUse): Promise<void> {
    await this.#links.deleteMany({ personId, use });
  }
}
