import type { Collection, Filter } from 'mongodb';
import { type DeviceChange, toUpdate } from './device-change.js';
import type { DeviceDocument, DeviceStateWord, Job } from './device-document.js';

/** The phones of pools. Each change of a free phone is one update that does nothing where the phone was leased meanwhile. */
export class DevicePools {
  readonly #devices: Collection<DeviceDocument>;

  constructor(devices: Collection<DeviceDocument>) {
    this.#devices = devices;
  }

  /** Returns the phones of a pool that are not gone. */
  find(poolId: string): Promise<DeviceDocument[]> {
    return this.#devices.find({ 'pool.id': poolId, gone: { $exists: false } }).toArray();
  }

  /** Returns phones of a pool that can be leased: those of the newest version first, then the one that is ready longest. */
  findReady(poolId: string, limit: number): Promise<DeviceDocument[]> {
    return this.#devices
      .find({ 'pool.id': poolId, 'pool.readySince': { $exists: true }, ...FREE, problem: { $exists: false } })
      .sort({ 'pool.version': -1, 'pool.readySince': 1 })
      .limit(limit)
      .toArray();
  }

  /** Returns free running phones of pools on a host that are not known to be ready or unfit. */
  findUnready(hostId: string, limit: number): Promise<DeviceDocument[]> {
    const absent = { $exists: false };
    return this.#devices
      .find({ 'pool.id': { $exists: true }, hostId, ...FREE, 'pool.readySince': absent, 'pool.unfit': absent })
      .limit(limit)
      .toArray();
  }

  /** Notes that a health check of a new phone failed. The time of the first one stays. */
  async markFailing({ _id, generation }: DeviceDocument, failingSince: Date): Promise<void> {
    await this.#devices.updateOne(
      { _id, generation, ...FREE, 'pool.failingSince': { $exists: false } },
      { $set: { 'pool.failingSince': failingSince } },
    );
  }

  /** Notes why a phone is of no use to its pool. */
  async markUnfit({ _id, generation }: DeviceDocument, reason: string): Promise<void> {
    await this.#devices.updateOne({ _id, generation, ...FREE }, { $set: { 'pool.unfit': reason } });
  }

  /** Notes that a phone can be leased from now on. Returns false where it has changed since it was read. */
  async markReady({ _id, generation }: DeviceDocument, readySince: Date): Promise<boolean> {
    const { matchedCount } = await this.#devices.updateOne(
      { _id, generation, ...FREE },
      { $set: { 'pool.readySince': readySince }, $unset: { 'pool.failingSince': '' } },
    );
    return matchedCount === 1;
  }

  /** Accepts the deletion of a phone that nobody has leased. Returns undefined where it is leased, or at work, by now. */
  async claimDelete(
    { _id }: DeviceDocument,
    from: readonly DeviceStateWord[],
    job: Job,
    change: DeviceChange,
  ): Promise<DeviceDocument | undefined> {
    const absent = { $exists: false };
    const filter: Filter<DeviceDocument> = { _id, state: { $in: [...from] }, lease: absent, job: absent, gone: absent };
    const update = toUpdate(change);
    const whole = { ...update, $set: { ...update.$set, job } };
    return (await this.#devices.findOneAndUpdate(filter, whole, { returnDocument: 'after' })) ?? undefined;
  }
}

/** Matches running phones that no job is at work on, and that nobody has leased. */
const FREE = {
  state: 'running' as const,
  job: { $exists: false },
  lease: { $exists: false },
  gone: { $exists: false },
};
