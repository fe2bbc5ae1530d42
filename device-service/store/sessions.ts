import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import type { MemberDocument } from './members.js';
import { accountMadeFor } from './people.js';

/** A browser in which a person is signed in. */
export interface SessionDocument {
  /** Lower-case hex SHA-256 of the token. */
  _id: string;
  /** `ses_…`: the session's id in logs and as the maker of devices. */
  id: string;
  /** The account that the session is in. */
  accountId: string;
  /** Absent: a process of the release before made it, for the person that the account was made for. */
  personId?: string;
  /** The address from which the person signed in; `unknown` for a session of an older release. */
  address: string;
  createdAt: Date;
  /** When the session was last used, to the hour. */
  usedAt: Date;
  /** When the person signed in or last confirmed the session. Absent: a process of the release before made it. */
  confirmedAt?: Date;
  expiresAt: Date;
  /** Who vouched for the person at the sign-in. Absent: nobody, it was by a password or a passkey. */
  vouchedBy?: 'provider' | 'operator';
  /** What the identity provider said of the person. Absent: the person did not sign in there. */
  provider?: SessionOfProvider;
}

/** How a session goes on being confirmed by an identity provider. */
export interface SessionOfProvider {
  /** The provider's id of the person. */
  subject: string;
  /** The refresh token, sealed with the session's own token. Absent: the provider gave none, and the session is never confirmed again. */
  refreshToken?: string;
  /** When the provider last confirmed the person and the groups. */
  confirmedAt: Date;
  /** When the next confirmation may begin. */
  dueAt: Date;
}

/**
 * Returns whether a session may be in the account of a member. Memberships that the identity provider gives are for those for whom it, or
 * the operator, vouched. It may have dismissed the person since, and a password or a passkey would stay.
 */
export function mayBeIn(
  { vouchedBy }: Pick<SessionDocument, 'vouchedBy'>,
  { by }: Pick<MemberDocument, 'by'>,
): boolean {
  return by !== 'oidc' || vouchedBy !== undefined;
}

/** Returns whether the id of a caller is that of a person's session; otherwise it is that of a key or a share. */
export function isSessionId(id: string): boolean {
  return id.startsWith('ses_');
}

export class SessionStore {
  readonly #sessions: Collection<SessionDocument>;

  constructor(database: Db) {
    this.#sessions = database.collection<SessionDocument>('sessions');
  }

  /** Adds an address to sessions of older releases, which have none. */
  async addAddresses(): Promise<void> {
    await this.#sessions.updateMany({ address: { $exists: false } }, { $set: { address: 'unknown' } });
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#sessions, [
      { key: { id: 1 }, name: 'id', unique: true },
      { key: { accountId: 1 }, name: 'account' },
      { key: { personId: 1 }, name: 'person' },
      { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    ]);
  }

  async insert(session: SessionDocument): Promise<void> {
    await this.#sessions.insertOne(session);
  }

  find(digest: string): Promise<SessionDocument | null> {
    return this.#sessions.findOne({ _id: digest });
  }

  async setProvider(digest: string, provider: SessionOfProvider): Promise<void> {
    await this.#sessions.updateOne({ _id: digest }, { $set: { provider } });
  }

  /** Claims the confirmation that is due, until `next`. Returns false where another process has it, or the session is gone. */
  async claimConfirmation(digest: string, dueAt: Date, next: Date): Promise<boolean> {
    const { matchedCount } = await this.#sessions.updateOne(
      { _id: digest, 'provider.dueAt': dueAt },
      { $set: { 'provider.dueAt': next } },
    );
    return matchedCount === 1;
  }

  async touch(digest: string, usedAt: Date, expiresAt: Date): Promise<void> {
    await this.#sessions.updateOne({ _id: digest }, { $set: { usedAt, expiresAt } });
  }

  /** Returns the sessions of a person, newest first. */
  async list(personId: string): Promise<SessionDocument[]> {
    await this.#name(personId);
    return this.#sessions.find({ personId }).sort({ createdAt: -1, id: -1 }).toArray();
  }

  /** Ends a session of a person. Returns false when there is none. */
  async end(personId: string, id: string): Promise<boolean> {
    await this.#name(personId);
    return (await this.#sessions.deleteOne({ id, personId })).deletedCount === 1;
  }

  /** Puts a session of a person into another account. Returns false when there is no such session. */
  async setAccount(personId: string, id: string, accountId: string): Promise<boolean> {
    await this.#name(personId);
    const { matchedCount } = await this.#sessions.updateOne({ id, personId }, { $set: { accountId } });
    return matchedCount === 1;
  }

  /** Notes that the person has just shown again who it is. Returns false when there is no such session. */
  async confirm(personId: string, id: string, confirmedAt: Date): Promise<boolean> {
    await this.#name(personId);
    return (await this.#sessions.updateOne({ id, personId }, { $set: { confirmedAt } })).matchedCount === 1;
  }

  /** Ends the oldest sessions of a person, until `most` are left. Returns whether any was ended. */
  async endOldest(personId: string, most: number): Promise<boolean> {
    const oldest = (await this.list(personId)).slice(most);
    if (oldest.length > 0) await this.#sessions.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } });
    return oldest.length > 0;
  }

  /** Ends the sessions of a person, except the one with the id `kept`. */
  async endAll(personId: string, kept?: string): Promise<void> {
    await this.#name(personId);
    await this.#sessions.deleteMany({ personId, ...(kept !== undefined && { id: { $ne: kept } }) });
  }

  /** Ends the sessions that are in an account; those of one person when it is given. */
  async endInAccount(accountId: string, personId?: string): Promise<void> {
    if (personId !== undefined) await this.#name(personId);
    await this.#sessions.deleteMany({ accountId, ...(personId !== undefined && { personId }) });
  }

  /** Returns which of the sessions are still valid. */
  findGood(ids: readonly string[], now: Date): Promise<SessionDocument[]> {
    return this.#sessions.find({ id: { $in: [...ids] }, expiresAt: { $gt: now } }).toArray();
  }

  /** Names the person in those sessions of the person that a process of the release before made. */
  async #name(personId: string): Promise<void> {
    const accountId = accountMadeFor(personId);
    await this.#sessions.updateMany({ accountId, personId: { $exists: false } }, { $set: { personId } });
  }
}
