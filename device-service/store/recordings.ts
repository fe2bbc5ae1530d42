import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { insertNew } from './insert-new.js';

/**
 * A recording of a device's screen. Its files are on the host that made it, in a folder named by its id.
 *
 * The document is written before its folder, and removed after its folder. So a folder without a document belongs to no recording, and can
 * be removed (recordings/sweep-recordings.ts).
 */
export interface RecordingDocument {
  _id: string;
  accountId: string;
  phoneId: string;
  /** Name of the device. */
  device: string;
  /** The key, or the member in a session, that made the device and sees its events. */
  deviceCreatedBy: string;
  /** The labels that the device had, as `key:value`. Absent: it had none. */
  deviceLabels?: string[];
  /** The key or session that began it. */
  requestedBy: string;
  /** The group of which a step began it. It ends with the group on this device, at the latest. Absent: no group did. */
  groupId?: string;
  hostId: string;
  /** `deleting`: the files are being removed, and the recording is no longer shown. */
  state: RecordingStateWord | 'deleting';
  /** The phone, while the recording goes on; absent afterwards. It is unique, so a phone has one recording at a time. */
  underWay?: string;
  startedAt: Date;
  endedAt?: Date;
  durationMs: number;
  sizeBytes: number;
  segments: number;
  hasSecrets: boolean;
  reason?: string;
  /** The event of its end is not published yet. */
  eventPending?: true;
}

export type RecordingStateWord = 'recording' | 'ready' | 'interrupted' | 'failed';

/** What grows while a recording goes on. */
export type RecordingProgress = Pick<RecordingDocument, 'durationMs' | 'sizeBytes' | 'segments' | 'hasSecrets'>;

/** How a recording has ended. */
export interface RecordingEnd extends RecordingProgress {
  state: 'ready' | 'interrupted' | 'failed';
  endedAt: Date;
  reason?: string;
}

export class RecordingStore {
  readonly #recordings: Collection<RecordingDocument>;

  constructor(database: Db) {
    this.#recordings = database.collection<RecordingDocument>('recordings');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#recordings, [
      { key: { underWay: 1 }, name: 'under_way', unique: true, sparse: true },
      { key: { phoneId: 1, _id: -1 }, name: 'phone' },
      { key: { accountId: 1, sizeBytes: 1 }, name: 'account_size' },
      { key: { hostId: 1, state: 1, _id: 1 }, name: 'host_state' },
      { key: { eventPending: 1 }, name: 'event_pending', sparse: true },
    ]);
  }

  /** Inserts a recording. Returns false while another one of its phone goes on. */
  begin(recording: RecordingDocument): Promise<boolean> {
    return insertNew(this.#recordings, recording);
  }

  find(id: string): Promise<RecordingDocument | null> {
    return this.#recordings.findOne({ _id: id });
  }

  /** Returns the recording of a phone that goes on. */
  findUnderWay(phoneId: string): Promise<RecordingDocument | null> {
    return this.#recordings.findOne({ underWay: phoneId });
  }

  /** Returns the recordings of a phone that are shown, newest first, before `beforeId`. */
  list(phoneId: string, limit: number, beforeId?: string): Promise<RecordingDocument[]> {
    return this.#recordings
      .find({
        phoneId,
        state: { $in: ['recording', 'ready', 'interrupted', 'failed'] },
        ...(beforeId !== undefined && { _id: { $lt: beforeId } }),
      })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Returns how many recordings a phone has, counted up to `most`. */
  count(phoneId: string, most: number): Promise<number> {
    return this.#recordings.countDocuments({ phoneId }, { limit: most });
  }

  /** Returns recordings of a host in this state, oldest first, after `afterId`, and of those that ended by a time. */
  findOfHost(
    hostId: string,
    state: RecordingDocument['state'],
    limit: number,
    { afterId, endedBy }: { afterId?: string; endedBy?: Date } = {},
  ): Promise<RecordingDocument[]> {
    return this.#recordings
      .find({
        ...{ hostId, state },
        ...(afterId !== undefined && { _id: { $gt: afterId } }),
        ...(endedBy !== undefined && { endedAt: { $lte: endedBy } }),
      })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Returns the room that all recordings of the account take, including those that are being removed. */
  async storageBytes(accountId: string): Promise<number> {
    const [sums] = await this.#recordings
      .aggregate<{ sizeBytes: number }>([
        { $match: { accountId } },
        { $group: { _id: '$accountId', sizeBytes: { $sum: '$sizeBytes' } } },
      ])
      .toArray();
    return sums?.sizeBytes ?? 0;
  }

  /** Notes the first picture of a recording. Returns false when it does not go on, as it is to be deleted. */
  async started(id: string, startedAt: Date): Promise<boolean> {
    const { matchedCount } = await this.#recordings.updateOne({ _id: id, state: 'recording' }, { $set: { startedAt } });
    return matchedCount === 1;
  }

  /** Notes how long a recording is by now. Returns false when it does not go on any more, as it is to be deleted. */
  async progress(id: string, progress: RecordingProgress): Promise<boolean> {
    const { matchedCount } = await this.#recordings.updateOne({ _id: id, state: 'recording' }, { $set: progress });
    return matchedCount === 1;
  }

  /** Notes the end of a recording. Returns false when it had ended, or is to be deleted. */
  async end(id: string, end: RecordingEnd): Promise<boolean> {
    const { matchedCount } = await this.#recordings.updateOne(
      { _id: id, state: 'recording' },
      { $set: { ...end, eventPending: true }, $unset: { underWay: '' } },
    );
    return matchedCount === 1;
  }

  /** Marks a recording for deletion. Returns false when it is marked already, or gone. */
  async beginDelete(id: string): Promise<boolean> {
    const { matchedCount } = await this.#recordings.updateOne(
      { _id: id, state: { $in: ['recording', 'ready', 'interrupted', 'failed'] } },
      { $set: { state: 'deleting' }, $unset: { underWay: '', eventPending: '' } },
    );
    return matchedCount === 1;
  }

  /** Marks all recordings of a phone for deletion. */
  async beginDeleteOfPhone(phoneId: string): Promise<void> {
    await this.#recordings.updateMany(
      { phoneId },
      { $set: { state: 'deleting' }, $unset: { underWay: '', eventPending: '' } },
    );
  }

  async forget(id: string): Promise<void> {
    await this.#recordings.deleteOne({ _id: id });
  }

  /** Forgets the recordings of a host that is gone with its disk. */
  async forgetHost(hostId: string): Promise<void> {
    await this.#recordings.deleteMany({ hostId });
  }

  /** Returns all recordings whose end is not published yet. */
  eventsPending(): AsyncIterable<RecordingDocument> {
    return this.#recordings.find({ eventPending: true });
  }

  async eventPublished(id: string): Promise<void> {
    await this.#recordings.updateOne({ _id: id }, { $unset: { eventPending: '' } });
  }
}
