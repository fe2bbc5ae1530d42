import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import type { RoleWord, VisibleDevices } from './members.js';

/** A link by which a person joins an account, once. Its token is shown once and never stored. */
export interface InvitationDocument extends VisibleDevices {
  /** `inv_…`. */
  _id: string;
  /** Lower-case hex SHA-256 of the token. */
  digest: string;
  accountId: string;
  /** The invited address, in lower case. */
  email: string;
  role: RoleWord;
  /** The e-mail address of the member who invited the person. */
  invitedBy: string;
  /** The member, without whom the invitation counts no more. Absent: a process of the release before made it. */
  memberId?: string;
  /** Whether the link was given to the mail queue. */
  mailed: boolean;
  createdAt: Date;
  expiresAt: Date;
}

export class InvitationStore {
  readonly #invitations: Collection<InvitationDocument>;

  constructor(database: Db) {
    this.#invitations = database.collection<InvitationDocument>('invitations');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#invitations, [
      { key: { digest: 1 }, name: 'digest', unique: true },
      { key: { accountId: 1, _id: 1 }, name: 'account' },
      { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    ]);
  }

  async insert(invitation: InvitationDocument): Promise<void> {
    await this.#invitations.insertOne(invitation);
  }

  /** Notes that the link was given to the mail queue. */
  async setMailed(id: string): Promise<void> {
    await this.#invitations.updateOne({ _id: id }, { $set: { mailed: true } });
  }

  /** Removes the other invitations of the address to the account. */
  async removeOthers({ _id, accountId, email }: InvitationDocument): Promise<void> {
    await this.#invitations.deleteMany({ accountId, email, _id: { $ne: _id } });
  }

  /** Removes the invitations that a member made. */
  async removeOfMember(accountId: string, memberId: string): Promise<void> {
    await this.#invitations.deleteMany({ accountId, memberId });
  }

  /** Returns an invitation, also when it has expired and is not removed yet. */
  findByDigest(digest: string): Promise<InvitationDocument | null> {
    return this.#invitations.findOne({ digest });
  }

  /** Returns the invitations of an account, newest first, also expired ones. */
  list(accountId: string, limit: number): Promise<InvitationDocument[]> {
    return this.#invitations.find({ accountId }).sort({ _id: -1 }).limit(limit).toArray();
  }

  /** Removes an invitation. Returns false when there is none. */
  async remove(accountId: string, id: string): Promise<boolean> {
    return (await this.#invitations.deleteOne({ _id: id, accountId })).deletedCount === 1;
  }

  async deleteAll(accountId: string): Promise<void> {
    await this.#invitations.deleteMany({ accountId });
  }
}
