import type { Collection, Db, Filter } from 'mongodb';
import { documentErrors } from '../../kit/db/mongo.js';
import { putIndexes } from '../../kit/db/put-indexes.js';

/** An entry of a device's timeline, with its pictures. Entries are only ever added and removed. */
export interface TimelineDocument {
  /** The id, which sorts by the time at which the entry began; see kit/text/ids.ts. */
  _id: string;
  phoneId: string;
  accountId: string;
  at: Date;
  kind: TimelineKindWord;
  /** The name that the API key had when the entry was made. */
  key: string;
  /** The request, as JSON of an object. */
  request: string;
  outcome: string;
  durationMs: number;
  app: string;
  changed?: string;
  settled?: boolean;
  message?: string;
  /** The elements that took raw input, by the index of the event. */
  touched?: { event: number; text: string; role: string }[];
  effectMs?: number;
  /** How many steps of an act that failed were done. */
  stepsDone?: number;
  /** The pictures before and after, as WebP. */
  before?: Buffer;
  after?: Buffer;
  hasBefore?: true;
  hasAfter?: true;
  /** The bytes that count toward the bound of the account. */
  bytes: number;
}

export type TimelineKindWord =
  | 'act'
  | 'action'
  | 'input'
  | 'install'
  | 'exit'
  | 'snapshot'
  | 'adb_session'
  | 'shell'
  | 'missed'
  | 'conditions'
  | 'file'
  | 'recording'
  | 'handover'
  | 'crash';

/** An entry without its pictures, as lists return it. */
export type ListedEntry = Omit<TimelineDocument, 'before' | 'after'>;

/** The fields that are needed to count and remove entries. */
export type CountedEntry = Pick<TimelineDocument, '_id' | 'accountId' | 'bytes'>;

const COUNTED = { accountId: 1, bytes: 1 } as const;
const NO_PICTURES = { before: 0, after: 0 } as const;

/** The timelines of all devices. */
export class TimelineStore {
  readonly #entries: Collection<TimelineDocument>;

  constructor(database: Db) {
    this.#entries = database.collection<TimelineDocument>('timeline', { promoteBuffers: true });
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#entries, [
      { key: { phoneId: 1, _id: -1 }, name: 'phone' },
      { key: { phoneId: 1, kind: 1, _id: -1 }, name: 'phone_kind' },
      { key: { phoneId: 1, key: 1, _id: -1 }, name: 'phone_key' },
      { key: { accountId: 1, _id: 1 }, name: 'account' },
    ]);
  }

  /** Adds entries; entries that exist already stay as they are. Returns the bytes of the added ones. */
  async insert(entries: readonly TimelineDocument[]): Promise<number> {
    const known = new Set<number>();
    try {
      await this.#entries.insertMany([...entries], { ordered: false });
    } catch (error) {
      for (const { index, isDuplicate } of documentErrors(error)) {
        if (!isDuplicate) throw error;
        known.add(index);
      }
    }
    return entries.reduce((sum, { bytes }, at) => (known.has(at) ? sum : sum + bytes), 0);
  }

  /** Returns entries without pictures, newest first, with ids from `fromId` on and before `beforeId`. */
  async list(query: {
    phoneId: string;
    kind: TimelineKindWord | undefined;
    key: string | undefined;
    fromId: string | undefined;
    beforeId: string | undefined;
    limit: number;
  }): Promise<ListedEntry[]> {
    const { phoneId, kind, key, limit } = query;
    const filter = {
      phoneId,
      ...(kind !== undefined && { kind }),
      ...(key !== undefined && { key }),
      ...idsBetween(query.fromId, query.beforeId),
    };
    return this.#entries.find(filter, { projection: NO_PICTURES }).sort({ _id: -1 }).limit(limit).toArray();
  }

  /** Returns entries with pictures, oldest first. */
  async read(query: {
    phoneId: string;
    fromId: string | undefined;
    beforeId: string | undefined;
    limit: number;
  }): Promise<TimelineDocument[]> {
    const filter = { phoneId: query.phoneId, ...idsBetween(query.fromId, query.beforeId) };
    return this.#entries.find(filter).sort({ _id: 1 }).limit(query.limit).toArray();
  }

  /** Returns one entry of a phone. */
  find(phoneId: string, id: string): Promise<TimelineDocument | null> {
    return this.#entries.findOne({ _id: id, phoneId });
  }

  /** Returns some entries of an account, oldest first, after `afterId`. */
  findOldest(accountId: string, limit: number, afterId?: string): Promise<CountedEntry[]> {
    const filter = { accountId, ...(afterId !== undefined && { _id: { $gt: afterId } }) };
    return this.#entries.find(filter, { projection: COUNTED }).sort({ _id: 1 }).limit(limit).toArray();
  }

  /** Returns some entries of all accounts with ids before `beforeId`, oldest first. */
  findBefore(beforeId: string, limit: number): Promise<CountedEntry[]> {
    return this.#entries
      .find({ _id: { $lt: beforeId } }, { projection: COUNTED })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Returns some entries of a phone. */
  findOfPhone(phoneId: string, limit: number): Promise<CountedEntry[]> {
    return this.#entries.find({ phoneId }, { projection: COUNTED }).sort({ _id: -1 }).limit(limit).toArray();
  }

  /** Removes entries. Returns how many of them existed. */
  async remove(ids: readonly string[]): Promise<number> {
    const { deletedCount } = await this.#entries.deleteMany({ _id: { $in: [...ids] } });
    return deletedCount;
  }
}

function idsBetween(fromId: string | undefined, beforeId: string | undefined): Filter<TimelineDocument> {
  if (fromId === undefined && beforeId === undefined) return {};
  return {
    _id: { ...(fromId !== undefined && { $gte: fromId }), ...(beforeId !== undefined && { $lt: beforeId }) },
  };
}
