import type { Collection, Db, Filter } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { insertNew } from './insert-new.js';

export type CrashKindWord = 'java' | 'native' | 'anr';

/** A crash of an app on a device. The insertion keeps the crash and its event together. */
export interface CrashDocument {
  /** The id, which sorts by the time of the crash (history/crashes/crash-id.ts). */
  _id: string;
  accountId: string;
  phoneId: string;
  /** Name of the device. */
  device: string;
  /** The key, or the member in a session, that made the device and sees its events. */
  deviceCreatedBy: string;
  /** The labels that the device had, as `key:value`. Absent: it had none. */
  deviceLabels?: string[];
  at: Date;
  kind: CrashKindWord;
  package: string;
  process: string;
  reason: string;
  trace: string;
  /** The minute in which a process has one crash of a type. It is unique, whoever reports. */
  slot: string;
  /** The event is not published yet. */
  eventPending?: true;
  /** It is no longer shown, and stays until its event is published. */
  isLeft?: true;
}

/** The fields that identify a crash. */
export type CrashRef = Pick<CrashDocument, '_id'>;

/** A group of documents by phone. */
interface PhoneGroup {
  _id: string;
}

export class CrashStore {
  readonly #crashes: Collection<CrashDocument>;

  constructor(database: Db) {
    this.#crashes = database.collection<CrashDocument>('crashes');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#crashes, [
      { key: { slot: 1 }, name: 'slot', unique: true },
      { key: { phoneId: 1, _id: -1 }, name: 'phone' },
      { key: { eventPending: 1 }, name: 'event_pending', sparse: true },
    ]);
  }

  /** Inserts a crash. Returns false when it was inserted before, or its process has another one of its minute. */
  insert(crash: CrashDocument): Promise<boolean> {
    return insertNew(this.#crashes, crash);
  }

  /** Returns the crash of this id; null when there is none. */
  find(id: string): Promise<CrashDocument | null> {
    return this.#crashes.findOne({ _id: id });
  }

  findBySlot(slot: string): Promise<CrashDocument | null> {
    return this.#crashes.findOne({ slot });
  }

  /** Returns a crash of a process with an id between two others, which are left out. */
  findBetween(
    { phoneId, process, kinds }: { phoneId: string; process: string; kinds: readonly CrashKindWord[] },
    afterId: string,
    beforeId: string,
  ): Promise<CrashDocument | null> {
    return this.#crashes.findOne({ phoneId, _id: { $gt: afterId, $lt: beforeId }, process, kind: { $in: [...kinds] } });
  }

  /** Returns the crashes of a phone that are shown, newest first, before `beforeId`. */
  list(phoneId: string, limit: number, beforeId?: string): Promise<CrashDocument[]> {
    return this.#crashes
      .find({ phoneId, isLeft: { $exists: false }, ...(beforeId !== undefined && { _id: { $lt: beforeId } }) })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Returns how many crashes a phone has, those that are not shown included, counted up to `most`. */
  count(phoneId: string, most: number): Promise<number> {
    return this.#crashes.countDocuments({ phoneId }, { limit: most });
  }

  /** Returns the oldest of the newest `most` crashes of a phone that are shown; undefined when there are fewer. */
  async findOldestOf(phoneId: string, most: number): Promise<CrashRef | undefined> {
    const newest = await this.#crashes
      .find({ phoneId, isLeft: { $exists: false } }, { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .limit(most)
      .toArray();
    return newest[most - 1];
  }

  /** Removes the crashes of a phone before `beforeId`, and hides those whose events are not published yet. Absent: all. */
  removeOfPhone(phoneId: string, beforeId?: string): Promise<void> {
    return this.#remove({ phoneId, ...(beforeId !== undefined && { _id: { $lt: beforeId } }) });
  }

  /** Removes the crashes of a phone from `fromId` on, and hides those whose events are not published yet. */
  removeFrom(phoneId: string, fromId: string): Promise<void> {
    return this.#remove({ phoneId, _id: { $gte: fromId } });
  }

  /** Returns the phones that have crashes. */
  async phones(): Promise<string[]> {
    const groups = await this.#crashes.aggregate<PhoneGroup>([{ $group: { _id: '$phoneId' } }]).toArray();
    return groups.map(({ _id }) => _id);
  }

  /** Returns all crashes whose event is not published yet. */
  eventsPending(): AsyncIterable<CrashDocument> {
    return this.#crashes.find({ eventPending: true });
  }

  async eventPublished(id: string): Promise<void> {
    const { deletedCount } = await this.#crashes.deleteOne({ _id: id, isLeft: true });
    if (deletedCount > 0) return;
    await this.#crashes.updateOne({ _id: id }, { $unset: { eventPending: '' } });
    // It may have been hidden between the two.
    await this.#crashes.deleteOne({ _id: id, isLeft: true });
  }

  async #remove(which: Filter<CrashDocument>): Promise<void> {
    await this.#crashes.deleteMany({ ...which, eventPending: { $exists: false } });
    await this.#crashes.updateMany({ ...which, isLeft: { $exists: false } }, { $set: { isLeft: true, trace: '' } });
  }
}
