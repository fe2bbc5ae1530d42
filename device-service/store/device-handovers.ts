import type { Collection, Filter } from 'mongodb';
import type { DeviceDocument } from './device-document.js';
import { type DeviceHandover, handoverEvent, leaseLeastUntil, type PastHandover } from './handover.js';
import { mayChange } from './may-change.js';

/** How many hand-overs a device keeps that have ended. HandoverService promises them. */
const MAX_PAST = 20;

/**
 * The hand-overs of devices. One begins and ends by one update of the device's document, together with its event. It begins only while no
 * job is at work on the device, and a job of a key only while there is none. So neither overtakes the other.
 */
export class DeviceHandovers {
  readonly #devices: Collection<DeviceDocument>;

  constructor(devices: Collection<DeviceDocument>) {
    this.#devices = devices;
  }

  /**
   * Hands a running device over for a key or session, if it may change the device and the device is as it was read. A lease is prolonged to
   * outlive the hand-over. Returns undefined where nothing was changed.
   */
  async begin(device: DeviceDocument, handover: DeviceHandover): Promise<DeviceDocument | undefined> {
    const { _id, generation, lease } = device;
    const absent = { $exists: false };
    const leaseAsRead = { 'lease.id': lease?.id ?? absent, 'lease.expiresAt': lease?.expiresAt ?? absent };
    const asRead = { _id, generation, state: 'running' as const, ...leaseAsRead };
    const leasedUntil = leaseLeastUntil(handover);
    const isProlonged = lease !== undefined && lease.expiresAt < leasedUntil;
    const begun = await this.#devices.findOneAndUpdate(
      { $and: [{ ...asRead, job: absent, handover: absent, gone: absent }, mayChange(handover.requestedBy.id)] },
      {
        $set: { handover, ...(isProlonged && { 'lease.expiresAt': leasedUntil }) },
        $push: { deviceEvents: handoverEvent(handover) },
      },
      { returnDocument: 'after' },
    );
    return begun ?? undefined;
  }

  /** Writes who took the phone, unless someone has. Returns undefined where the hand-over has ended. */
  async take(phoneId: string, id: string, taken: DeviceHandover['taken']): Promise<DeviceDocument | undefined> {
    await this.#devices.updateOne(
      { ...is(phoneId, id), 'handover.taken': { $exists: false } },
      { $set: { 'handover.taken': taken } },
    );
    return (await this.#devices.findOne(is(phoneId, id))) ?? undefined;
  }

  /**
   * Ends the hand-over of a device as it was read. With `expiredBy`, only where its time is over then. Returns it as it ended, and
   * undefined where it has ended before.
   */
  async end(
    { _id, handover }: DeviceDocument,
    ended: PastHandover['ended'],
    expiredBy?: Date,
  ): Promise<PastHandover | undefined> {
    if (handover === undefined) return undefined;
    const { taken } = handover;
    const past = { ...handover, ended };
    const result = await this.#devices.updateOne(
      {
        ...is(_id, handover.id),
        // A person may have taken it since it was read, and the end is to have that.
        'handover.taken.by': taken?.by ?? { $exists: false },
        ...(expiredBy !== undefined && { 'handover.expiresAt': { $lte: expiredBy } }),
      },
      {
        $unset: { handover: '' },
        $push: { pastHandovers: { $each: [past], $slice: -MAX_PAST }, deviceEvents: handoverEvent(past) },
      },
    );
    return result.modifiedCount === 1 ? past : undefined;
  }

  /**
   * Returns devices of all accounts with a hand-over whose time is over by `now`. Devices that are being deleted are left out: their
   * hand-overs end with them, and many slow deletions must not keep the others from their end.
   */
  findOver(now: Date, limit: number): Promise<DeviceDocument[]> {
    return this.#devices
      .find({ 'handover.expiresAt': { $lte: now }, state: { $ne: 'deleting' } })
      .sort({ 'handover.expiresAt': 1 })
      .limit(limit)
      .toArray();
  }
}

/** Matches the hand-over while it can change. That of a device that is being deleted ends with the device (DeviceStore.finish). */
function is(phoneId: string, id: string): Filter<DeviceDocument> {
  return { _id: phoneId, 'handover.id': id, state: { $ne: 'deleting' }, gone: { $exists: false } };
}
