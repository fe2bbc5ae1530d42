import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { insertNew } from './insert-new.js';

/**
 * A snapshot of a device's phone. The driver stores its files on the phone's host, under the snapshot's id.
 *
 * The document is written after its job was accepted, and before its files. It is removed after its files. So files without a document
 * belong to no snapshot, and can be removed (devices/snapshots/sweep-snapshots.ts).
 */
export interface SnapshotDocument {
  _id: string;
  accountId: string;
  phoneId: string;
  /** The job that saves the snapshot. */
  jobId: string;
  hostId: string;
  driver: string;
  label: string;
  /** `deleting`: the files are being removed, and the snapshot is no longer shown. */
  state: 'saving' | 'ready' | 'failed' | 'deleting';
  /** The size of a ready snapshot. */
  sizeBytes?: number;
  checksum?: string;
  /** A copy in the object store was begun, so an object may exist. */
  copyBegun?: true;
  /** The whole copy in the object store. Absent: there is none yet. `checksum` is that of the unpacked files. */
  copy?: { sizeBytes: number; checksum: string };
  /** The size that is counted while the snapshot is being saved, as its real size is not known yet. */
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

  /** Inserts a snapshot. Returns the stored one, which may have been written before. */
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

  /** Returns the snapshots of a phone that are shown, newest first, before `beforeId`. */
  list(phoneId: string, limit: number, beforeId?: string): Promise<SnapshotDocument[]> {
    return this.#snapshots
      .find({ ...shownOf(phoneId), ...(beforeId !== undefined && { _id: { $lt: beforeId } }) })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Returns the room that all snapshots of the account take, including those that are being saved or removed. */
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

  /** Returns all snapshots of a phone, in any state. */
  findOfPhone(phoneId: string): Promise<SnapshotDocument[]> {
    return this.#snapshots.find({ phoneId }).toArray();
  }

  /** Returns the snapshots of a host whose saving or deletion is not finished. */
  findOpenOfHost(hostId: string): Promise<SnapshotDocument[]> {
    return this.#snapshots.find({ hostId, state: { $in: ['saving', 'deleting'] } }).toArray();
  }

  async saved(id: string, files: { sizeBytes: number; checksum: string }): Promise<void> {
    await this.#snapshots.updateOne(
      { _id: id, state: 'saving' },
      { $set: { ...files, state: 'ready' }, $unset: { expectedBytes: '' } },
    );
  }

  /** Records that the job failed. The snapshot may be ready: a process was killed between its last file and the end of its job. */
  async fail(id: string, from: ('saving' | 'ready')[] = ['saving', 'ready']): Promise<void> {
    await this.#snapshots.updateOne(
      { _id: id, state: { $in: from } },
      { $set: { state: 'failed' }, $unset: { expectedBytes: '', sizeBytes: '', checksum: '' } },
    );
  }

  /** Returns ready snapshots of a host that have no copy in the object store, oldest first. */
  findWithoutCopy(hostId: string, drivers: readonly string[], limit: number): Promise<SnapshotDocument[]> {
    return this.#snapshots.find(withoutCopy(hostId, drivers)).sort({ _id: 1 }).limit(limit).toArray();
  }

  countWithoutCopy(hostId: string, drivers: readonly string[]): Promise<number> {
    return this.#snapshots.countDocuments(withoutCopy(hostId, drivers));
  }

  /** Notes that a copy begins. Returns false when the snapshot is not ready any more. */
  async beginCopy(id: string): Promise<boolean> {
    const { matchedCount } = await this.#snapshots.updateOne(
      { _id: id, state: 'ready' },
      { $set: { copyBegun: true } },
    );
    return matchedCount === 1;
  }

  /** Notes a whole copy. Returns false for a snapshot that is being deleted meanwhile, or is gone. */
  async copied(id: string, copy: NonNullable<SnapshotDocument['copy']>): Promise<boolean> {
    const { matchedCount } = await this.#snapshots.updateOne({ _id: id, state: 'ready' }, { $set: { copy } });
    return matchedCount === 1;
  }

  /** Marks a snapshot for deletion. Returns false when it is marked already, or gone. */
  async beginDelete(id: string): Promise<boolean> {
    const { matchedCount } = await this.#snapshots.updateOne(
      { _id: id, state: { $in: ['saving', 'ready', 'failed'] } },
      { $set: { state: 'deleting' } },
    );
    return matchedCount === 1;
  }

  /** Makes a snapshot ready again that was marked for deletion while a job used it. */
  async keep(id: string): Promise<void> {
    await this.#snapshots.updateOne({ _id: id, state: 'deleting' }, { $set: { state: 'ready' } });
  }

  async forget(id: string): Promise<void> {
    await this.#snapshots.deleteOne({ _id: id });
  }

  /** Notes that the snapshots of a phone have moved with it. */
  async movePhone(phoneId: string, to: string): Promise<void> {
    await this.#snapshots.updateMany({ phoneId }, { $set: { hostId: to } });
  }

  /** Gives the snapshots of a forgotten host to another one. Their files are lost with the first host; those with a copy stay ready. */
  async moveHost(from: string, to: string): Promise<void> {
    const lost = { hostId: from, state: { $ne: 'deleting' as const }, copy: { $exists: false } };
    await this.#snapshots.updateMany(lost, { $set: { state: 'failed' } });
    await this.#snapshots.updateMany({ hostId: from }, { $set: { hostId: to } });
  }
}

function withoutCopy(hostId: string, drivers: readonly string[]) {
  return { hostId, state: 'ready' as const, driver: { $in: [...drivers] }, copy: { $exists: false } };
}

function shownOf(phoneId: string) {
  return { phoneId, state: { $in: ['saving', 'ready', 'failed'] as ('saving' | 'ready' | 'failed')[] } };
}
