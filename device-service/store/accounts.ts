import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { insertNew } from './insert-new.js';

export interface AccountDocument {
  _id: string;
  /** The e-mail address that it was made with, in lower case. */
  email: string;
  /**
   * The password of the account's first person, where it has not changed since an account had one person. Only adoptOwner and processes of
   * the release before read it. Absent: the person has it (store/people.ts).
   */
  passwordHash?: string;
  createdAt: Date;
  trial: AccountTrial;
  /** When the account was first topped up; from then on a trial cannot begin. Absent: never. */
  creditedAt?: Date;
  /** When the operator disabled the account. Absent: it is not disabled. */
  disabledAt?: Date;
  /** Quotas of this account, in place of the operator's settings. 0: no bound. */
  quotas?: { devices?: number; storageBytes?: number };
  /** Claims of creations under way, by the id of the phone or snapshot; see accounts/quotas/quotas.ts. */
  claims?: Record<string, QuotaClaim>;
  /** Grows with each change of `claims`. Absent: 0. */
  claimsVersion?: number;
  /** The members that are owners. A member is added here after it has become one, and removed before it stops to be one. */
  owners?: { id: string }[];
  /** Whether each member needs a second factor. Absent: no. */
  requireSecondFactor?: boolean;
  /** Mails that its owners and admins get. Absent: all. */
  mail?: { balance?: boolean; attention?: boolean };
  /** An upper bound of the bytes that the account's timelines take, see history/timeline/timeline-room.ts. Absent: 0. */
  timelineBytes?: number;
}

/** The part of an account's quotas that a creation needs, until the document of the phone or snapshot exists. */
export interface QuotaClaim {
  devices: number;
  bytes: number;
  at: Date;
}

/** The account's one trial. The ledger has the number of minutes used. */
export interface AccountTrial {
  state: 'unused' | 'active' | 'used';
  /** The phone that runs on the trial, once the trial has begun. */
  phoneId?: string;
  /** When the phone got the trial. Absent: the trial was released, as the phone has stopped or did not start. */
  claimedAt?: Date;
}

export class AccountStore {
  readonly #accounts: Collection<AccountDocument>;

  constructor(database: Db) {
    this.#accounts = database.collection<AccountDocument>('accounts');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#accounts, [{ key: { email: 1 }, name: 'email', unique: true }]);
  }

  /** Inserts an account. Returns false when there is an account with this e-mail. */
  insert(account: AccountDocument): Promise<boolean> {
    return insertNew(this.#accounts, account);
  }

  /** Returns whether there is any account. */
  async exist(): Promise<boolean> {
    return (await this.#accounts.findOne({})) !== null;
  }

  find(accountId: string): Promise<AccountDocument | null> {
    return this.#accounts.findOne({ _id: accountId });
  }

  findByIds(accountIds: readonly string[]): Promise<AccountDocument[]> {
    return this.#accounts.find({ _id: { $in: [...accountIds] } }).toArray();
  }

  findByEmail(email: string): Promise<AccountDocument | null> {
    return this.#accounts.findOne({ email: email.toLowerCase() });
  }

  /** Returns the ids of these accounts that exist and are not disabled. */
  async findActive(accountIds: readonly string[]): Promise<Set<string>> {
    const query = { _id: { $in: [...accountIds] }, disabledAt: { $exists: false } };
    const active = await this.#accounts.find(query, { projection: { _id: 1 } }).toArray();
    return new Set(active.map(({ _id }) => _id));
  }

  /** Returns whether each member of the account needs a second factor. */
  async requiresSecondFactor(accountId: string): Promise<boolean> {
    const found = await this.#accounts.findOne({ _id: accountId }, { projection: { requireSecondFactor: 1 } });
    return found?.requireSecondFactor === true;
  }

  /** Disables an account; undefined enables it again. */
  async setDisabled(accountId: string, disabledAt: Date | undefined): Promise<void> {
    const change = disabledAt === undefined ? { $unset: { disabledAt: '' as const } } : { $set: { disabledAt } };
    await this.#accounts.updateOne({ _id: accountId }, change);
  }

  /** Gives an account quotas of its own. */
  async setQuotas(accountId: string, quotas: AccountDocument['quotas'] & object): Promise<void> {
    await this.#accounts.updateOne({ _id: accountId }, { $set: { quotas } });
  }

  /** Removes an account that is disabled. */
  async remove(accountId: string): Promise<void> {
    await this.#accounts.deleteOne({ _id: accountId, disabledAt: { $exists: true } });
  }

  /** Removes an account whose owner could not be made. */
  async removeNew(accountId: string): Promise<void> {
    await this.#accounts.deleteOne({ _id: accountId, 'owners.0': { $exists: false } });
  }

  /** Returns accounts, oldest first, after `afterId`. */
  list(limit: number, afterId?: string): Promise<AccountDocument[]> {
    return this.#accounts
      .find(afterId === undefined ? {} : { _id: { $gt: afterId } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Removes the password that the account's document has beside that of its first person. */
  async removePassword(accountId: string): Promise<void> {
    await this.#accounts.updateOne({ _id: accountId }, { $unset: { passwordHash: '' } });
  }

  /** Sets settings that the account's people choose; `mail.…` is a field of `mail`. */
  async setChoices(
    accountId: string,
    choices: Partial<Pick<AccountDocument, 'requireSecondFactor'> & Record<'mail.balance' | 'mail.attention', boolean>>,
  ): Promise<void> {
    if (Object.keys(choices).length > 0) await this.#accounts.updateOne({ _id: accountId }, { $set: choices });
  }

  /** Notes that a member is an owner. */
  async addOwner(accountId: string, id: string): Promise<void> {
    await this.#accounts.updateOne({ _id: accountId, 'owners.id': { $ne: id } }, { $push: { owners: { id } } });
  }

  /** Removes an owner whose member is gone. */
  async forgetOwner(accountId: string, id: string): Promise<void> {
    await this.#accounts.updateOne({ _id: accountId }, { $pull: { owners: { id } } });
  }

  /** Removes a member from the owners where another one is left. Returns false where it is the last. */
  async removeOwner(accountId: string, id: string): Promise<boolean> {
    const { matchedCount } = await this.#accounts.updateOne(
      { _id: accountId, 'owners.id': id, 'owners.1': { $exists: true } },
      { $pull: { owners: { id } } },
    );
    return matchedCount === 1 || (await this.#accounts.findOne({ _id: accountId, 'owners.id': id })) === null;
  }

  /** Notes that the account is topped up. Only the first time is noted. */
  async noteCredit(accountId: string, at: Date): Promise<void> {
    await this.#accounts.updateOne({ _id: accountId, creditedAt: { $exists: false } }, { $set: { creditedAt: at } });
  }

  /** Replaces the claims of an account if they are still those of `version`. Returns false when they have changed since. */
  async setClaims(accountId: string, version: number, claims: Record<string, QuotaClaim>): Promise<boolean> {
    const claimsVersion = version === 0 ? { $exists: false } : version;
    const { matchedCount } = await this.#accounts.updateOne(
      { _id: accountId, claimsVersion },
      { $set: { claims, claimsVersion: version + 1 } },
    );
    return matchedCount === 1;
  }

  async endClaim(accountId: string, id: string): Promise<void> {
    await this.#accounts.updateOne(
      { _id: accountId, [`claims.${id}.at`]: { $exists: true } },
      { $unset: { [`claims.${id}`]: '' }, $inc: { claimsVersion: 1 } },
    );
  }

  /** Adds to the bytes that the timelines of an account take. Returns the sum. */
  async addTimelineBytes(accountId: string, bytes: number): Promise<number> {
    const changed = await this.#accounts.findOneAndUpdate(
      { _id: accountId },
      { $inc: { timelineBytes: bytes } },
      { returnDocument: 'after' },
    );
    return changed?.timelineBytes ?? 0;
  }

  async setTimelineBytes(accountId: string, timelineBytes: number): Promise<void> {
    await this.#accounts.updateOne({ _id: accountId }, { $set: { timelineBytes } });
  }

  /** Begins the trial for a phone. Returns false when it has begun already, or the account was topped up. */
  async beginTrial(accountId: string, phoneId: string, at: Date): Promise<boolean> {
    const { matchedCount } = await this.#accounts.updateOne(
      { _id: accountId, 'trial.state': 'unused', creditedAt: { $exists: false } },
      { $set: { trial: { state: 'active', phoneId, claimedAt: at } } },
    );
    return matchedCount === 1;
  }

  /**
   * Gives an active trial to a phone, if the trial still has the phone and the time that were read. Returns false when the trial has
   * changed since.
   */
  async passTrial(accountId: string, read: AccountTrial, phoneId: string, at: Date): Promise<boolean> {
    const { matchedCount } = await this.#accounts.updateOne(
      {
        _id: accountId,
        'trial.state': 'active',
        'trial.phoneId': read.phoneId ?? '',
        'trial.claimedAt': read.claimedAt ?? { $exists: false },
      },
      { $set: { 'trial.phoneId': phoneId, 'trial.claimedAt': at } },
    );
    return matchedCount === 1;
  }

  /** Lets another phone take over the trial at once, if `phoneId` has it. */
  async releaseTrial(accountId: string, phoneId: string): Promise<void> {
    await this.#accounts.updateOne(
      { _id: accountId, 'trial.state': 'active', 'trial.phoneId': phoneId },
      { $unset: { 'trial.claimedAt': '' } },
    );
  }

  async endTrial(accountId: string): Promise<void> {
    await this.#accounts.updateOne({ _id: accountId, 'trial.state': 'active' }, { $set: { 'trial.state': 'used' } });
  }
}
