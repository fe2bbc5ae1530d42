import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { type DeviceChange, toUpdate } from './device-change.js';
import type { DeviceDocument, DeviceStateWord, Job } from './device-document.js';
import { leaseLeastUntil } from './handover.js';
import { type DeviceLease, LEASED, type LeaseEvent } from './lease.js';
import { type Seen, seenFilter } from './seen.js';

/**
 * The leases of devices. A lease begins and ends by one update of the device's document, together with its event. A lease begins only while
 * no job is at work on the device, and a job of a caller only while no other caller has a lease. So neither overtakes the other.
 */
export class DeviceLeases {
  readonly #devices: Collection<DeviceDocument>;

  constructor(devices: Collection<DeviceDocument>) {
    this.#devices = devices;
  }

  /** Leases a device, if it is free and as it was read. Returns undefined where it is not. */
  async begin(device: DeviceDocument, lease: DeviceLease, event: LeaseEvent): Promise<DeviceDocument | undefined> {
    const { _id, state, generation, pool } = device;
    const absent = { $exists: false };
    const free = { job: absent, lease: absent, handover: absent, gone: absent };
    const asRead = { _id, state, generation, 'pool.id': pool?.id ?? { $exists: false } };
    const leased = await this.#devices.findOneAndUpdate(
      { ...asRead, ...free },
      { $set: { lease }, $push: { deviceEvents: event } },
      { returnDocument: 'after' },
    );
    return leased ?? undefined;
  }

  /**
   * Moves the end of a lease that holds, not to before the time that a hand-over of the device needs. Returns undefined where it has ended
   * by `now`, or where the device has another hand-over, or none, since it was read.
   */
  async renew(
    { _id, lease, handover }: DeviceDocument,
    now: Date,
    expiresAt: Date,
  ): Promise<DeviceDocument | undefined> {
    const leastUntil = handover === undefined ? expiresAt : leaseLeastUntil(handover);
    const renewed = await this.#devices.findOneAndUpdate(
      {
        ...holds(_id, lease?.id ?? ''),
        'lease.expiresAt': { $gt: now },
        'handover.id': handover?.id ?? { $exists: false },
      },
      { $set: { 'lease.expiresAt': expiresAt < leastUntil ? leastUntil : expiresAt } },
      { returnDocument: 'after' },
    );
    return renewed ?? undefined;
  }

  /**
   * Marks a lease as ended: nobody has the device, and nobody gets it yet. With `expiredBy`, only where its time is over then. Returns
   * undefined where it was marked before, or renewed, or is gone.
   */
  async markEnded(
    { _id, lease }: DeviceDocument,
    ended: NonNullable<DeviceLease['ended']>,
    expiredBy?: Date,
  ): Promise<DeviceDocument | undefined> {
    const marked = await this.#devices.findOneAndUpdate(
      { ...holds(_id, lease?.id ?? ''), ...(expiredBy !== undefined && { 'lease.expiresAt': { $lte: expiredBy } }) },
      { $set: { 'lease.ended': ended } },
      { returnDocument: 'after' },
    );
    return marked ?? undefined;
  }

  /**
   * Frees a device whose lease is marked as ended, while no job is at work on it, and no person has it any more. With `job`, the same update
   * accepts that job, where the device is in one of `from`. Returns undefined where nothing was changed.
   */
  async free(
    { _id, lease, pool }: DeviceDocument,
    { at, event }: { at: Date; event: LeaseEvent },
    next?: { job: Job; from: readonly DeviceStateWord[]; change: DeviceChange },
  ): Promise<DeviceDocument | undefined> {
    const filter: Filter<DeviceDocument> = {
      _id,
      'lease.id': lease?.id ?? '',
      'lease.ended': { $exists: true },
      job: { $exists: false },
      handover: { $exists: false },
      ...(next !== undefined && { state: { $in: [...next.from] } }),
    };
    const { deviceEvents = [], ...change } = next?.change ?? {};
    const update = toUpdate({ ...change, deviceEvents: [...deviceEvents, event] });
    // A phone of a pool that goes back to its first state is ready again once that job is done.
    const again = pool !== undefined && next?.job.kind === 'restore' ? { 'pool.jobId': next.job.id } : undefined;
    const $set = { ...update.$set, leaseEndedAt: at, ...(next !== undefined && { job: next.job }), ...again };
    const whole: UpdateFilter<DeviceDocument> = {
      ...update,
      $set,
      $unset: { ...update.$unset, lease: '', ...(again !== undefined && { 'pool.readySince': '' }) },
    };
    return (await this.#devices.findOneAndUpdate(filter, whole, { returnDocument: 'after' })) ?? undefined;
  }

  /** Returns devices whose lease is over by `now`, or was marked as ended and no job is at work on the device. */
  async findOver(now: Date, limit: number): Promise<DeviceDocument[]> {
    // There are two reads, as neither database uses an index for an `$or` of them.
    const expired = await this.#devices
      .find({ 'lease.expiresAt': { $lte: now }, 'lease.ended': { $exists: false } })
      .sort({ 'lease.expiresAt': 1 })
      .limit(limit)
      .toArray();
    const ended = await this.#devices
      .find({ 'lease.ended.at': { $lte: now }, job: { $exists: false } })
      .limit(limit)
      .toArray();
    return [...new Map([...expired, ...ended].map((device) => [device._id, device])).values()];
  }

  /** Returns the device of a lease that holds; null where there is none. */
  find(accountId: string, leaseId: string): Promise<DeviceDocument | null> {
    return this.#devices.findOne({ accountId, 'lease.id': leaseId, 'lease.ended': { $exists: false } });
  }

  /** Returns leased devices by name, after `afterName`. */
  list(query: {
    accountId: string;
    seen: Seen | undefined;
    afterName: string | undefined;
    limit: number;
  }): Promise<DeviceDocument[]> {
    const { accountId, seen, afterName, limit } = query;
    return this.#devices
      .find({
        ...{ accountId, ...LEASED, 'lease.ended': { $exists: false } },
        ...(afterName !== undefined && { name: { $gt: afterName } }),
        ...seenFilter(seen),
      })
      .sort({ name: 1 })
      .limit(limit)
      .toArray();
  }

  /** Returns the leased devices of all accounts. */
  findLeased(limit: number): Promise<DeviceDocument[]> {
    return this.#devices
      .find({ 'lease.expiresAt': { $exists: true } })
      .limit(limit)
      .toArray();
  }

  /** Returns devices with the label that no job, lease, hand-over, pool or problem keeps from being leased. */
  findFree(query: {
    accountId: string;
    seen: Seen | undefined;
    label: string;
    limit: number;
  }): Promise<DeviceDocument[]> {
    const { accountId, seen, label, limit } = query;
    const absent = { $exists: false };
    return this.#devices
      .find({
        ...{ accountId, labels: label, state: { $in: ['running', 'stopped'] } },
        ...{ job: absent, lease: absent, handover: absent, pool: absent, problem: absent, gone: absent },
        ...seenFilter(seen),
      })
      .limit(limit)
      .toArray();
  }
}

function holds(phoneId: string, leaseId: string): Filter<DeviceDocument> {
  return { _id: phoneId, 'lease.id': leaseId, 'lease.ended': { $exists: false }, gone: { $exists: false } };
}
