import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';

/** A sign-in that a browser began at the identity provider. All its secrets come from a token that the browser alone has. */
export interface OidcLoginDocument {
  /** Lower-case hex SHA-256 of the browser's token. */
  _id: string;
  /** The path of the panel to which the browser goes then. */
  returnTo: string;
  /** The digest of the invitation's token that the person accepts by the sign-in. Absent: it is an ordinary one. */
  invitationDigest?: string;
  expiresAt: Date;
}

export class OidcLoginStore {
  readonly #logins: Collection<OidcLoginDocument>;

  constructor(database: Db) {
    this.#logins = database.collection<OidcLoginDocument>('oidcLogins');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#logins, [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }]);
  }

  async insert(login: OidcLoginDocument): Promise<void> {
    await this.#logins.insertOne(login);
  }

  /** Returns how many sign-ins are under way, at most `limit`. */
  count(limit: number): Promise<number> {
    return this.#logins.countDocuments({}, { limit });
  }

  /** Takes a sign-in, so that nobody finishes it twice. Returns null when there is none, or its time is over. */
  async claim(digest: string, now: Date): Promise<OidcLoginDocument | null> {
    return this.#logins.findOneAndDelete({ _id: digest, expiresAt: { $gt: now } });
  }
}
