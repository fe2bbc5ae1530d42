import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/put-indexes.js';
import { insertNew } from './insert-new.js';

/**
 * A snapshot of a device's phone. Its files are with the driver, on the host of the phone, under its id.
 *
 * It is written after the job that saves it was accepted and before its files are, and goes after them: so files without a document
 * can be removed (snapshots/sweep-snapshots.ts).
 */
export interface SnapshotDocument {
  _id: string;
  accountId: string;
  phoneId: string;
  /** The job that saves it. */
  jobId: string;
  hostId: string;
  driver: string;
  label: string;
  /** `deleting`: its files are being removed; it is no longer shown. */
  state: 'saving' | 'ready' | 'failed' | 'deleting';
  /** Of a ready one. */
  sizeBytes?: number;
  checksum?: string;
  /** Of one that is being saved: the size that counts until it is known. */
  expectedBytes?: number;
  model: string;
  android: string;
  createdAt: Date;
}

export class SnapshotStore {
  readonly #snapshots: Collection<SnapshotDocument>;

  constructor(database: Db) {
    this.#snapshots = database.collection<SnapshotDocument>('snapshots');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#snapshots, [
      { key: { phoneId: 1, _id: -1 }, name: 'phone' },
      { key: { hostId: 1, state: 1 }, name: 'host_state' },
      { key: { accountId: 1 }, name: 'account' },
    ]);
  }

  /** Returns the one that is there from then on: it may have been written before. */
  async begin(snapshot: SnapshotDocument): Promise<SnapshotDocument> {
    await insertNew(this.#snapshots, snapshot);
    return (await this.find(snapshot._id)) ?? snapshot;
  }

  find(id: string): Promise<SnapshotDocument | null> {
    return this.#snapshots.findOne({ _id: id });
  }

  findByIds(ids: readonly string[]): Promise<SnapshotDocument[]> {
    return this.#snapshots.find({ _id: { $in: [...ids] } }).toArray();
  }

  /** Those of a phone that are shown, newest first, before `beforeId`. */
  list(phoneId: string, limit: number, beforeId?: string): Promise<SnapshotDocument[]> {
    return this.#snapshots
      .find({ ...shownOf(phoneId), ...(beforeId !== undefined && { _id: { $lt: beforeId } }) })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Room that all snapshots of the account take, those that are being saved and removed included. */
  async storageBytes(accountId: string): Promise<number> {
    const [sums] = await this.#snapshots
      .aggregate<{ sizeBytes: number; expectedBytes: number }>([
        { $match: { accountId } },
        { $group: { _id: '$accountId', sizeBytes: { $sum: '$sizeBytes' }, expectedBytes: { $sum: '$expectedBytes' } } },
      ])
      .toArray();
    return (sums?.sizeBytes ?? 0) + (sums?.expectedBytes ?? 0);
  }

  count(phoneId: string): Promise<number> {
    return this.#snapshots.countDocuments(shownOf(phoneId));
  }

  /** All of a phone, in any state. */
  findOfPhone(phoneId: string): Promise<SnapshotDocument[]> {
    return this.#snapshots.find({ phoneId }).toArray();
  }

  /** Those of a host on which something is to be done. */
  findOpenOfHost(hostId: string): Promise<SnapshotDocument[]> {
    return this.#snapshots.find({ hostId, state: { $in: ['saving', 'deleting'] } }).toArray();
  }

  async saved(id: string, files: { sizeBytes: number; checksum: string }): Promise<void> {
    await this.#snapshots.updateOne(
      { _id: id, state: 'saving' },
      { $set: { ...files, state: 'ready' }, $unset: { expectedBytes: '' } },
    );
  }

  async fail(id: string): Promise<void> {
    await this.#snapshots.updateOne(
      { _id: id, state: 'saving' },
      { $set: { state: 'failed' }, $unset: { expectedBytes: '' } },
    );
  }

  /** Returns false when it is being deleted already, or gone. */
  async beginDelete(id: string): Promise<boolean> {
    const { matchedCount } = await this.#snapshots.updateOne(
      { _id: id, state: { $in: ['saving', 'ready', 'failed'] } },
      { $set: { state: 'deleting' } },
    );
    return matchedCount === 1;
  }

  /** Shows a whole one again that is used after all. */
  async keep(id: string): Promise<void> {
    await this.#snapshots.updateOne({ _id: id, state: 'deleting' }, { $set: { state: 'ready' } });
  }

  async forget(id: string): Promise<void> {
    await this.#snapshots.deleteOne({ _id: id });
  }

  /** Gives the snapshots of a host that was forgotten, with which their files are lost, to another one. */
  async moveHost(from: string, to: string): Promise<void> {
    await this.#snapshots.updateMany({ hostId: from, state: { $ne: 'deleting' } }, { $set: { state: 'failed' } });
    await this.#snapshots.updateMany({ hostId: from }, { $set: { hostId: to } });
  }
}

function shownOf(phoneId: string) {
  return { phoneId, state: { $in: ['saving', 'ready', 'failed'] as ('saving' | 'ready' | 'failed')[] } };
}
