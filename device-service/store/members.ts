import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { insertNew } from './insert-new.js';

/** The roles of members, least first. Each includes the ones before it. */
export type RoleWord = 'viewer' | 'operator' | 'admin' | 'owner';

/** Devices that someone may see, by their names or by a label. */
export interface VisibleDevices {
  /** Device names, or `['*']` for all. Empty with a label. */
  devices: string[];
  /** A label as `key:value`, the form that devices store. Absent: by name. */
  devicesLabel?: string;
}

/** A person in an account. */
export interface MemberDocument extends VisibleDevices {
  /** `mem_…`. */
  _id: string;
  accountId: string;
  personId: string;
  role: RoleWord;
  /** `oidc`: groups of the identity provider made it, and change and remove it. Absent: people did. */
  by?: 'oidc';
  createdAt: Date;
  /** When the person last used the account, to the hour. Absent: never. */
  seenAt?: Date;
}

export class MemberStore {
  readonly #members: Collection<MemberDocument>;

  constructor(database: Db) {
    this.#members = database.collection<MemberDocument>('members');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#members, [
      { key: { accountId: 1, personId: 1 }, name: 'account_person', unique: true },
      { key: { personId: 1, _id: 1 }, name: 'person' },
      { key: { accountId: 1, _id: 1 }, name: 'account' },
    ]);
  }

  /** Inserts a member. Returns false when the person is in the account already. */
  insert(member: MemberDocument): Promise<boolean> {
    return insertNew(this.#members, member);
  }

  find(accountId: string, id: string): Promise<MemberDocument | null> {
    return this.#members.findOne({ _id: id, accountId });
  }

  findByIds(ids: readonly string[]): Promise<MemberDocument[]> {
    return this.#members.find({ _id: { $in: [...ids] } }).toArray();
  }

  findPerson(accountId: string, personId: string): Promise<MemberDocument | null> {
    return this.#members.findOne({ accountId, personId });
  }

  /** Returns the memberships of a person, at most `limit`, those that began first before. */
  ofPerson(personId: string, limit: number): Promise<MemberDocument[]> {
    return this.#members.find({ personId }).sort({ _id: 1 }).limit(limit).toArray();
  }

  /** Returns members of an account, those that came first before, after `afterId`. */
  list(accountId: string, limit: number, afterId?: string): Promise<MemberDocument[]> {
    return this.#members
      .find({ accountId, ...(afterId !== undefined && { _id: { $gt: afterId } }) })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Changes a member whose role is still `role`. Returns null when there is no such member. */
  change(
    { _id, role }: Pick<MemberDocument, '_id' | 'role'>,
    { devicesLabel, ...fields }: Partial<Pick<MemberDocument, 'role' | 'devices' | 'devicesLabel'>>,
  ): Promise<MemberDocument | null> {
    const set = { ...fields, ...(devicesLabel !== undefined && { devicesLabel }) };
    return this.#members.findOneAndUpdate(
      { _id, role },
      {
        $set: set,
        ...(fields.devices !== undefined && devicesLabel === undefined && { $unset: { devicesLabel: '' } }),
      },
      { returnDocument: 'after' },
    );
  }

  async touch(id: string, seenAt: Date): Promise<void> {
    await this.#members.updateOne({ _id: id }, { $set: { seenAt } });
  }

  /** Removes a member whose role is still `role`. Returns false when there is no such member. */
  async remove({ _id, role }: Pick<MemberDocument, '_id' | 'role'>): Promise<boolean> {
    return (await this.#members.deleteOne({ _id, role })).deletedCount === 1;
  }
}
