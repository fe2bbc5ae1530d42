import type { Collection, Db, Filter } from 'mongodb';
import { isDuplicateKey } from '../../kit/db/mongo.js';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { lineId } from './ledger.js';
import type { RoleWord } from './members.js';

export type ActorKindWord = 'key' | 'person' | 'share' | 'group' | 'operator';

/** One entry of an account's audit log. Entries are only ever added, and removed when their time is over. */
export interface AuditDocument {
  /** `<account>/<seq>`, with the number padded. It is unique, so that the chain never forks. */
  _id: string;
  accountId: string;
  /** The number of the entry; 1 for the first. */
  seq: number;
  at: Date;
  actorKind: ActorKindWord;
  /** Empty for the operator. */
  actorId: string;
  /** Empty where the actor has none. */
  actorName: string;
  /** Absent for shares and the operator. */
  role?: RoleWord;
  action: string;
  device?: string;
  target?: string;
  outcome: string;
  address: string;
  requestId: string;
  /** The digest of the entry before it; empty for the first. */
  before: string;
  digest: string;
  /** The process that wrote it, so that it knows its own entries after a failure. */
  writer: string;
}

/** The entries that a request is limited to. Absent: all. */
export interface AuditFilter {
  actorId?: string | undefined;
  actorName?: string | undefined;
  action?: string | undefined;
  device?: string | undefined;
}

/** Numbers of entries: from `first` on, and before `end`. */
export interface AuditRange {
  first: number;
  end: number;
}

/** A number above those of all entries. */
export const END_SEQ = 999_999_999_999;

export class AuditStore {
  readonly #entries: Collection<AuditDocument>;

  constructor(database: Db) {
    this.#entries = database.collection<AuditDocument>('audit');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#entries, [
      { key: { accountId: 1, at: 1, _id: 1 }, name: 'account_at' },
      { key: { accountId: 1, actorId: 1, _id: -1 }, name: 'actor' },
      { key: { accountId: 1, actorName: 1, _id: -1 }, name: 'actor_name' },
      { key: { accountId: 1, action: 1, _id: -1 }, name: 'action' },
      {
        key: { accountId: 1, device: 1, _id: -1 },
        name: 'device',
        partialFilterExpression: { device: { $exists: true } },
      },
    ]);
  }

  async findLast(accountId: string): Promise<AuditDocument | undefined> {
    const [last] = await this.#entries.find(rangeOf(accountId)).sort({ _id: -1 }).limit(1).toArray();
    return last;
  }

  /** Adds entries in their order. Returns false when one with the same number exists; those before that one are added. */
  async insert(entries: readonly AuditDocument[]): Promise<boolean> {
    try {
      await this.#entries.insertMany([...entries], { ordered: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Returns the stored entries with these ids. */
  findByIds(ids: readonly string[]): Promise<AuditDocument[]> {
    return this.#entries.find({ _id: { $in: [...ids] } }).toArray();
  }

  /** Returns entries of an account, newest first. */
  list(accountId: string, filter: AuditFilter, range: AuditRange, limit: number): Promise<AuditDocument[]> {
    const { actorId, actorName, action, device } = filter;
    const query: Filter<AuditDocument> = {
      ...(Object.values(filter).some((value) => value !== undefined) && { accountId }),
      ...(actorId !== undefined && { actorId }),
      ...(actorName !== undefined && { actorName }),
      ...(action !== undefined && { action }),
      ...(device !== undefined && { device }),
      ...rangeOf(accountId, range),
    };
    return this.#entries.find(query).sort({ _id: -1 }).limit(limit).toArray();
  }

  /** Returns the number of the first entry at or after a time; undefined when there is none. Times never go back in a chain. */
  async firstSince(accountId: string, at: Date): Promise<number | undefined> {
    const [found] = await this.#entries
      .find({ accountId, at: { $gte: at } })
      .sort({ at: 1, _id: 1 })
      .limit(1)
      .toArray();
    return found?.seq;
  }

  /** Returns the account with entries that sorts first after another one; undefined after the last. */
  async accountAfter(accountId: string): Promise<string | undefined> {
    const [found] = await this.#entries
      .find({ _id: { $gt: `${accountId}0` } })
      .sort({ _id: 1 })
      .limit(1)
      .toArray();
    return found?.accountId;
  }

  /** Removes the entries of an account before a time, all but its last entry. Returns how many there were. */
  async removeBefore(accountId: string, at: Date): Promise<number> {
    const last = await this.findLast(accountId);
    if (last === undefined) return 0;
    const { deletedCount } = await this.#entries.deleteMany({ accountId, at: { $lt: at }, _id: { $ne: last._id } });
    return deletedCount;
  }
}

/** '0' is the character after '/', so the range has all entries of the account and nothing else. */
function rangeOf(accountId: string, range?: AuditRange): Filter<AuditDocument> {
  if (range === undefined) return { _id: { $gt: `${accountId}/`, $lt: `${accountId}0` } };
  return { _id: { $gte: lineId(accountId, range.first), $lt: lineId(accountId, range.end) } };
}
