import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';

/** A request to prove who one is, for one sign-in or one session. Its token is shown once and never stored. */
export interface SignInChallengeDocument {
  /** Lower-case hex SHA-256 of the token. */
  _id: string;
  /** The person who gave the right password, or whose session it is. Absent: whoever has the passkey. */
  personId?: string;
  /** The session that is to be confirmed. Absent: it is a sign-in. */
  sessionId?: string;
  /** SHA-256 of the hash of the password that was given. Absent: none was given. */
  passwordMark?: string;
  /** What a passkey is to sign, in base64url. Absent: no passkey is asked for. */
  signed?: string;
  expiresAt: Date;
}

export class SignInChallengeStore {
  readonly #challenges: Collection<SignInChallengeDocument>;

  constructor(database: Db) {
    this.#challenges = database.collection<SignInChallengeDocument>('sign_in_challenges');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#challenges, [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }]);
  }

  async insert(challenge: SignInChallengeDocument): Promise<void> {
    await this.#challenges.insertOne(challenge);
  }

  /** Returns a challenge, also when it has expired and is not removed yet. */
  find(digest: string): Promise<SignInChallengeDocument | null> {
    return this.#challenges.findOne({ _id: digest });
  }

  /** Uses a challenge up. Returns false when another request did. */
  async take(digest: string): Promise<boolean> {
    return (await this.#challenges.deleteOne({ _id: digest })).deletedCount === 1;
  }
}
