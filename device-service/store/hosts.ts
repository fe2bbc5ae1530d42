import type { Collection, Db } from 'mongodb';

/** A machine that runs phones, as its device-service instance last told. */
export interface HostDocument {
  _id: string;
  driver: string;
  /** Memory that phones may still use, MiB, measured. */
  freeMemoryMb: number;
  seenAt: Date;
}

export class HostStore {
  readonly #hosts: Collection<HostDocument>;

  constructor(database: Db) {
    this.#hosts = database.collection<HostDocument>('hosts');
  }

  async beat(host: HostDocument): Promise<void> {
    const { _id, ...fields } = host;
    await this.#hosts.updateOne({ _id }, { $set: fields }, { upsert: true });
  }

  find(hostId: string): Promise<HostDocument | null> {
    return this.#hosts.findOne({ _id: hostId });
  }

  /** Hosts seen since `since`. There are few, so this is a scan. */
  findAlive(since: Date): Promise<HostDocument[]> {
    return this.#hosts.find({ seenAt: { $gte: since } }).toArray();
  }
}
