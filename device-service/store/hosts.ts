import type { Collection, Db, Filter } from 'mongodb';
import type { ConditionField, ConditionWord } from '../../phone/conditions.js';
import type { PhoneCapabilities, PhoneModel } from '../../phone/driver.js';
import { insertNew } from './insert-new.js';

/** A machine that runs phones. One process at a time has its lease, see hosts/host-lease.ts. */
export interface HostDocument {
  _id: string;
  /** The data folder that its phones are kept in. A process with another folder is another host. */
  folderId: string;
  /** Grows with each process that gets the lease; fences the writes of earlier ones. */
  epoch: number;
  /** The lease is over then, unless it is renewed. */
  leaseUntil: Date;
  /** When its process last renewed the lease. */
  seenAt: Date;
  /** Where its device service takes rpcs from other hosts; absent where it has no port of its own. */
  url?: string;
  drivers: HostDriver[];
  /** Set by the operator: it gets no new devices. */
  draining?: true;
  /** Set by the operator: it is gone for good. The record stays, so that the epoch goes on should it come back all the same. */
  forgotten?: true;
}

/** The room on a host for one kind of phones. */
export interface HostDriver {
  kind: string;
  freeMemoryMb: number;
  freeDiskMb: number;
  /** Whether it makes phones; false: it has `slots`. */
  create: boolean;
  /** Whether the way out to the internet of its phones can be chosen. */
  exit: boolean;
  /** In which state snapshots can be taken. Absent: written by a release without snapshots. */
  snapshots?: PhoneCapabilities['snapshots'];
  /** The conditions that its phones can be made to see, and the fields of these that they lack. Absent: written by a release without them. */
  conditions?: ConditionWord[];
  conditionsLack?: ConditionField[];
  models: (PhoneModel & {
    /** Memory that one more phone takes, MiB. */
    phoneMemoryMb: number;
    /** The operator's phones of this model, in use or not. */
    slots?: string[];
  })[];
  /** Why models are not offered, a line each, for the operator. Absent: nothing is missing. */
  problems?: string[];
}

export class HostStore {
  readonly #hosts: Collection<HostDocument>;

  constructor(database: Db) {
    this.#hosts = database.collection<HostDocument>('hosts');
  }

  /** Makes the record of a host that has none. Returns false when it has one. */
  insert(host: HostDocument): Promise<boolean> {
    return insertNew(this.#hosts, host);
  }

  /** Takes the lease of a host that is still in the epoch `from.epoch`. Returns undefined when another was faster. */
  async take(
    from: Pick<HostDocument, '_id' | 'epoch'>,
    lease: Partial<HostDocument>,
  ): Promise<HostDocument | undefined> {
    const filter: Filter<HostDocument> = { _id: from._id, epoch: from.epoch };
    const taken = await this.#hosts.findOneAndUpdate(
      filter,
      { $set: lease, $unset: { url: '', forgotten: '' }, $inc: { epoch: 1 } },
      { returnDocument: 'after' },
    );
    return taken ?? undefined;
  }

  /** Renews the lease and writes changed values. Returns false when another process has it. */
  async renew(host: Pick<HostDocument, '_id' | 'epoch'>, fields: Partial<HostDocument>): Promise<boolean> {
    const { matchedCount } = await this.#hosts.updateOne({ _id: host._id, epoch: host.epoch }, { $set: fields });
    return matchedCount === 1;
  }

  find(hostId: string): Promise<HostDocument | null> {
    return this.#hosts.findOne({ _id: hostId });
  }

  /** All hosts but those that were forgotten. There are few, so this is a scan. */
  list(): Promise<HostDocument[]> {
    return this.#hosts
      .find({ forgotten: { $exists: false } })
      .sort({ _id: 1 })
      .toArray();
  }

  listForgotten(): Promise<HostDocument[]> {
    return this.#hosts.find({ forgotten: true }).toArray();
  }

  /** Returns false when there is no such host. */
  async drain(hostId: string, draining: boolean): Promise<boolean> {
    const { matchedCount } = await this.#hosts.updateOne(
      { _id: hostId, forgotten: { $exists: false } },
      draining ? { $set: { draining: true } } : { $unset: { draining: '' } },
    );
    return matchedCount === 1;
  }

  /**
   * Marks a host that is still in the epoch it was read in as forgotten, and begins another epoch: its process loses the lease. Returns
   * the host, or undefined when it is in another epoch.
   */
  async forget({ _id, epoch }: Pick<HostDocument, '_id' | 'epoch'>): Promise<HostDocument | undefined> {
    const forgotten = await this.#hosts.findOneAndUpdate(
      { _id, epoch },
      { $set: { forgotten: true }, $unset: { url: '', draining: '' }, $inc: { epoch: 1 } },
      { returnDocument: 'after' },
    );
    return forgotten ?? undefined;
  }
}
