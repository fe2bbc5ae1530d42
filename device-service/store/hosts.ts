import type { Collection, Db } from 'mongodb';
import { Leases } from '../../kit/db/leases.js';
import type { ConditionField, ConditionWord } from '../../phone/conditions.js';
import type { PhoneCapabilities, PhoneModel } from '../../phone/driver.js';
import { insertNew } from './insert-new.js';

/** A machine that runs phones. One process at a time has its lease, see devices/hosts/host-lease.ts. */
export interface HostDocument {
  _id: string;
  /** The data folder of its phones. A process with another folder is another host. */
  folderId: string;
  /** Grows with each process that gets the lease, and fences the writes of earlier ones. */
  epoch: number;
  /** When the lease ends, unless it is renewed. */
  leaseUntil: Date;
  /** When the host's process last renewed the lease. */
  seenAt: Date;
  /** The URL at which the host's device service takes rpcs from other hosts. Absent: that service has no port of its own. */
  url?: string;
  drivers: HostDriver[];
  /** The times in which its phones could not be stopped, oldest first. Absent: none, or written by a release without them. */
  outages?: HostOutage[];
  /** Set by the operator: the host gets no new devices. */
  draining?: true;
  /** Set by the operator: the host moves its stopped devices away, or all of them now. Absent: they stay. */
  moving?: 'stopped' | 'now';
  /** Why devices of a host that moves them away stay, a line each. Absent: nothing keeps them. */
  moveProblems?: string[];
  /**
   * Set by the operator: the host is gone for good. The record stays. If the host comes back all the same, it gets the next epoch.
   */
  forgotten?: true;
}

/** A time in which customers could not stop the phones of a host. `to` is absent while it lasts. */
export interface HostOutage {
  from: Date;
  to?: Date;
}

/** The room on a host for one kind of phones. */
export interface HostDriver {
  kind: string;
  freeMemoryMb: number;
  freeDiskMb: number;
  /** The disks of which `freeDiskMb` is the least. Absent: written by a release without them. */
  disks?: { name: string; freeDiskMb: number }[];
  /** Whether the driver makes new phones. False: it takes existing ones, which `slots` lists. */
  create: boolean;
  /** Whether customers can choose how its phones reach the internet. */
  exit: boolean;
  /** Its phones can move to another host. Absent: they cannot, or a release without moves wrote the record. */
  moves?: true;
  /** Its phones can be made of templates. Absent: they cannot, or a release without templates wrote the record. */
  templates?: true;
  /** Its phones can get another image. Absent: they cannot, or a release without upgrades of images wrote the record. */
  upgrades?: true;
  /** The state in which snapshots can be taken. Absent: written by a release without snapshots. */
  snapshots?: PhoneCapabilities['snapshots'];
  /**
   * `conditions` can be set for its phones. `conditionsLack` lists fields of these conditions that its phones do not have. Both are
   * absent where a release without conditions wrote the record.
   */
  conditions?: ConditionWord[];
  conditionsLack?: ConditionField[];
  models: (PhoneModel & {
    /** Memory that one more phone takes, MiB. */
    phoneMemoryMb: number;
    /** The operator's phones of this model, in use or not. */
    slots?: string[];
  })[];
  /** Names of its models that no device can be created from at present. Absent: none, or written by a release without them. */
  withheld?: string[];
  /** Set while the driver's engine does not respond. Absent: it responds, or the driver has none. */
  engineAway?: true;
  /** Why models are not offered, a line each, for the operator. Absent: nothing is missing. */
  problems?: string[];
}

export class HostStore {
  readonly #hosts: Collection<HostDocument>;
  readonly #leases: Leases<HostDocument, 'epoch'>;

  constructor(database: Db) {
    this.#hosts = database.collection<HostDocument>('hosts');
    this.#leases = new Leases(this.#hosts, { owner: 'folderId', leaseUntil: 'leaseUntil', fence: ['epoch'] });
  }

  /** Makes the record of a host that has none. Returns false when it has one. */
  insert(host: HostDocument): Promise<boolean> {
    return insertNew(this.#hosts, host);
  }

  /** Takes the lease of a host and begins its next epoch. Returns undefined when another process was faster. */
  take(read: HostDocument, lease: Partial<HostDocument>): Promise<HostDocument | undefined> {
    return this.#leases.claim(read, { ...lease, epoch: read.epoch + 1 }, { unset: { url: '', forgotten: '' } });
  }

  /** Renews the lease and writes changed values. Returns false when another process has it. */
  renew(host: Pick<HostDocument, '_id' | 'epoch'>, fields: Partial<HostDocument>): Promise<boolean> {
    return this.#leases.write(host, { $set: fields });
  }

  find(hostId: string): Promise<HostDocument | null> {
    return this.#hosts.findOne({ _id: hostId });
  }

  /** Returns all hosts except forgotten ones. There are few, so this is a scan. */
  list(): Promise<HostDocument[]> {
    return this.#hosts
      .find({ forgotten: { $exists: false } })
      .sort({ _id: 1 })
      .toArray();
  }

  listForgotten(): Promise<HostDocument[]> {
    return this.#hosts.find({ forgotten: true }).toArray();
  }

  /** Sets or removes the drain of a host, and which devices it moves away. Returns false when there is no such host. */
  async drain(hostId: string, draining: boolean, moving?: HostDocument['moving']): Promise<boolean> {
    const { matchedCount } = await this.#hosts.updateOne(
      { _id: hostId, forgotten: { $exists: false } },
      draining
        ? { $set: { draining: true, ...(moving !== undefined && { moving }) } }
        : { $unset: { draining: '', moving: '', moveProblems: '' } },
    );
    return matchedCount === 1;
  }

  /** Writes why devices stay on a host that moves its devices away. */
  async noteMoveProblems(hostId: string, moveProblems: string[]): Promise<void> {
    await this.#hosts.updateOne({ _id: hostId, moving: { $exists: true } }, { $set: { moveProblems } });
  }

  /**
   * Marks a host as forgotten if it is still in the epoch that was read. This begins another epoch, so that the host's process loses the
   * lease. Returns the host; undefined when it is in another epoch.
   */
  async forget({ _id, epoch }: Pick<HostDocument, '_id' | 'epoch'>): Promise<HostDocument | undefined> {
    const forgotten = await this.#hosts.findOneAndUpdate(
      { _id, epoch },
      {
        $set: { forgotten: true },
        $unset: { url: '', draining: '', moving: '', moveProblems: '' },
        $inc: { epoch: 1 },
      },
      { returnDocument: 'after' },
    );
    return forgotten ?? undefined;
  }
}
