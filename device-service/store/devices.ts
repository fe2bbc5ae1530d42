import type { Collection, Db, Filter } from 'mongodb';
import { putIndexes } from '../../kit/put-indexes.js';
import type { ConditionWord, PhoneConditions } from '../../phone/conditions.js';
import { type DeviceChange, driven, toUpdate } from './device-change.js';
import type { DeviceDocument, DeviceStateWord, Job, PlanWord } from './device-document.js';
import { AT_WORK, forgetGone, HostDevices, IDLE_STOPPED } from './host-devices.js';
import { insertNew } from './insert-new.js';

export type { DeviceDocument } from './device-document.js';

/** The conditions that change; null: back to the phone's own. */
export type ConditionsChange = { [K in ConditionWord]?: NonNullable<PhoneConditions[K]> | null };

/** The devices collection, with the job at work on each device, and those not filed yet, inside its document. */
export class DeviceStore {
  readonly #devices: Collection<DeviceDocument>;

  constructor(database: Db) {
    this.#devices = database.collection<DeviceDocument>('devices');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#devices, [
      { key: { nameKey: 1 }, name: 'name', unique: true, sparse: true },
      { key: { accountId: 1, name: 1 }, name: 'account_name' },
      { key: { accountId: 1, 'job.id': 1 }, name: 'account_at_work', partialFilterExpression: AT_WORK },
      { key: { hostId: 1, 'job.id': 1 }, name: 'host_at_work', partialFilterExpression: AT_WORK },
      { key: { 'finished.id': 1 }, name: 'unfiled', sparse: true },
      { key: { hostId: 1, state: 1 }, name: 'host_state' },
      { key: { 'deviceEvents.id': 1 }, name: 'device_events', sparse: true },
      { key: { hostId: 1, plan: 1 }, name: 'host_plan' },
      { key: { hostId: 1, idleStopS: 1 }, name: 'host_idle_stop', partialFilterExpression: IDLE_STOPPED },
      { key: { slotKey: 1 }, name: 'slot', unique: true, sparse: true },
      { key: { 'job.snapshot': 1 }, name: 'job_snapshot', sparse: true },
    ]);
  }

  /** Returns false when its name or its slot is taken, or it was inserted before. */
  insert(device: DeviceDocument): Promise<boolean> {
    return insertNew(this.#devices, device);
  }

  /** Those of `slotKeys` that devices have. */
  async findTakenSlots(slotKeys: readonly string[]): Promise<Set<string>> {
    const taken = await this.#devices
      .find({ slotKey: { $in: [...slotKeys] } }, { projection: { slotKey: 1 } })
      .toArray();
    return new Set(taken.flatMap(({ slotKey }) => slotKey ?? []));
  }

  findByName(accountId: string, name: string): Promise<DeviceDocument | null> {
    return this.#devices.findOne({ nameKey: nameKey(accountId, name) });
  }

  /** Those of `names` that the account has a device of. */
  async findNames(accountId: string, names: readonly string[]): Promise<string[]> {
    const found = await this.#devices
      .find({ nameKey: { $in: names.map((name) => nameKey(accountId, name)) } })
      .toArray();
    return found.map(({ name }) => name);
  }

  /** The account's devices, with the room that their phones take. */
  findStorage(accountId: string): Promise<Pick<DeviceDocument, '_id' | 'storageBytes'>[]> {
    return this.#devices.find({ accountId, gone: { $exists: false } }, { projection: { storageBytes: 1 } }).toArray();
  }

  /** Writes the room that the device's phone takes, unless another process drives the device by now. */
  async noteStorage({ _id, hostId, fence }: Driven, storageBytes: number): Promise<void> {
    await this.#devices.updateOne({ _id, hostId, fence }, { $set: { storageBytes } });
  }

  /** Replaces the labels that a device had when it was read. Returns false where they are others now, or the device has gone. */
  async replaceLabels({ _id, labels }: Pick<DeviceDocument, '_id' | 'labels'>, wanted: string[]): Promise<boolean> {
    const { matchedCount } = await this.#devices.updateOne(
      { _id, gone: { $exists: false }, labels: labels ?? { $exists: false } },
      wanted.length === 0 ? { $unset: { labels: '' } } : { $set: { labels: wanted } },
    );
    return matchedCount === 1;
  }

  /** Switches the timeline of a device on or off. */
  async setTimeline(phoneId: string, isOn: boolean): Promise<void> {
    await this.#devices.updateOne({ _id: phoneId }, isOn ? { $set: { timeline: true } } : { $unset: { timeline: '' } });
  }

  /** Sets its idle time, s, which begins now; 0 takes it away. Returns undefined where the device has gone. */
  async setIdleStop(phoneId: string, idleStopS: number, now: Date): Promise<DeviceDocument | undefined> {
    const changed = await this.#devices.findOneAndUpdate(
      { _id: phoneId, gone: { $exists: false } },
      idleStopS === 0 ? { $unset: { idleStopS: '', usedAt: '' } } : { $set: { idleStopS, usedAt: now } },
      { returnDocument: 'after' },
    );
    return changed ?? undefined;
  }

  /**
   * Sets members of its conditions, and takes those away that are null; others stay. Returns undefined where it is no longer in the state and
   * start in which it was read, or another process drives it.
   */
  async changeConditions(device: DeviceDocument, change: ConditionsChange): Promise<DeviceDocument | undefined> {
    const { _id, hostId, fence, state, generation } = device;
    const set = Object.entries(change).filter(([, value]) => value !== null);
    const unset = Object.entries(change).filter(([, value]) => value === null);
    const changed = await this.#devices.findOneAndUpdate(
      { _id, hostId, fence, state, generation, gone: { $exists: false } },
      {
        ...(set.length > 0 && { $set: Object.fromEntries(set.map(([name, value]) => [`conditions.${name}`, value])) }),
        ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map(([name]) => [`conditions.${name}`, ''])) }),
      },
      { returnDocument: 'after' },
    );
    return changed ?? undefined;
  }

  async noteUse(phoneId: string, now: Date): Promise<void> {
    await this.#devices.updateOne({ _id: phoneId }, { $set: { usedAt: now } });
  }

  async lend(phoneIds: readonly string[], until: Date): Promise<void> {
    await this.#devices.updateMany({ _id: { $in: [...phoneIds] } }, { $set: { adbLentUntil: until } });
  }

  findById(phoneId: string): Promise<DeviceDocument | null> {
    return this.#devices.findOne({ _id: phoneId });
  }

  findByIds(phoneIds: readonly string[]): Promise<DeviceDocument[]> {
    return this.#devices.find({ _id: { $in: [...phoneIds] } }).toArray();
  }

  /** Devices of the account with finished jobs that have not been filed: few, for a short time. */
  findUnfiled(accountId: string): Promise<DeviceDocument[]> {
    return this.#devices.find({ accountId, 'finished.id': { $exists: true } }).toArray();
  }

  /** A device whose job begins from the snapshot. */
  findBySnapshot(snapshotId: string): Promise<DeviceDocument | null> {
    return this.#devices.findOne({ 'job.snapshot': snapshotId });
  }

  /** Those of `phoneIds` whose device is running. */
  findRunning(phoneIds: readonly string[]): Promise<DeviceDocument[]> {
    return this.#devices.find({ _id: { $in: [...phoneIds] }, state: 'running' }).toArray();
  }

  /** The device of the account that the job is, or was, at work on; null once the job has been filed. */
  async findByJob(accountId: string, jobId: string): Promise<DeviceDocument | null> {
    // In this order, which is the way a job goes, so that one that moves on meanwhile is found all the same.
    return (
      (await this.#devices.findOne({ accountId, 'job.id': jobId })) ??
      this.#devices.findOne({ accountId, 'finished.id': jobId })
    );
  }

  /** By name, after `afterName`. `seen` limits them to those that a key may see, `problem` to those that have one, or none. */
  list(query: {
    accountId: string;
    seen: Seen | undefined;
    state?: DeviceStateWord | undefined;
    problem?: boolean;
    /** `key:value`. */
    label?: string | undefined;
    afterName: string | undefined;
    limit: number;
  }): Promise<DeviceDocument[]> {
    const filter: Filter<DeviceDocument> = {
      accountId: query.accountId,
      gone: { $exists: false },
      ...(query.state !== undefined && { state: query.state }),
      ...(query.problem !== undefined && { 'problem.kind': { $exists: query.problem } }),
      ...(query.label !== undefined && { labels: query.label }),
      ...(query.afterName !== undefined && { name: { $gt: query.afterName } }),
      ...seenFilter(query.seen),
    };
    return this.#devices.find(filter).sort({ name: 1 }).limit(query.limit).toArray();
  }

  /** Devices that a job is at work on, newest job first, before `beforeJobId`. */
  listAtWork(query: {
    accountId: string;
    seen: Seen | undefined;
    device: string | undefined;
    beforeJobId: string | undefined;
    limit: number;
  }): Promise<DeviceDocument[]> {
    const filter: Filter<DeviceDocument> = {
      accountId: query.accountId,
      'job.id': query.beforeJobId === undefined ? { $exists: true } : { $exists: true, $lt: query.beforeJobId },
      ...(query.device !== undefined && { name: query.device }),
      ...seenFilter(query.seen),
    };
    return this.#devices.find(filter).sort({ 'job.id': -1 }).limit(query.limit).toArray();
  }

  /** Accepts a job: claims the device when it is in one of `from` and idle. Returns undefined when the claim was lost. */
  claim(
    phoneId: string,
    from: readonly DeviceStateWord[],
    job: Job,
    change: DeviceChange,
  ): Promise<DeviceDocument | undefined> {
    return this.#claim({ _id: phoneId }, from, job, change);
  }

  /** The same for a stop of a running device, unless it was used, started or taken by another process since it was read. */
  claimUnused(device: DeviceDocument, job: Job, change: DeviceChange): Promise<DeviceDocument | undefined> {
    const { _id, hostId, fence, generation, idleStopS = 0 } = device;
    const { usedAt = { $exists: false }, adbLentUntil = { $exists: false } } = device;
    const asRead = { _id, hostId, fence, generation, idleStopS, usedAt, adbLentUntil };
    return this.#claim(asRead, ['running'], job, change);
  }

  /** The same by name; `seen` and `plan` limit it further. */
  claimByName(
    query: { accountId: string; name: string; seen: Seen | undefined; plan: PlanWord | undefined },
    from: readonly DeviceStateWord[],
    job: Job,
    change: DeviceChange,
  ): Promise<DeviceDocument | undefined> {
    const { accountId, name, seen, plan } = query;
    const filter = { nameKey: nameKey(accountId, name), ...(plan !== undefined && { plan }), ...seenFilter(seen) };
    return this.#claim(filter, from, job, change);
  }

  async #claim(
    which: Filter<DeviceDocument>,
    from: readonly DeviceStateWord[],
    job: Job,
    change: DeviceChange,
  ): Promise<DeviceDocument | undefined> {
    const update = toUpdate(change);
    const claimed = await this.#devices.findOneAndUpdate(
      { ...which, state: { $in: [...from] }, gone: { $exists: false }, job: { $exists: false } },
      { ...update, $set: { ...update.$set, job } },
      { returnDocument: 'after' },
    );
    return claimed ?? undefined;
  }

  /** Takes one device that was inserted with the number of an earlier epoch. */
  async take(phoneId: string, hostId: string, epoch: number): Promise<void> {
    await this.#devices.updateOne({ _id: phoneId, hostId, fence: { $lt: epoch } }, { $set: { fence: epoch } });
  }

  /** Writes the progress of the job at work, or its last error. Returns false when the device is no longer this process's. */
  async noteJob(
    device: DeviceDocument,
    note: Partial<Pick<Job, 'progress' | 'retries' | 'lastError'>>,
  ): Promise<boolean> {
    const set = Object.fromEntries(Object.entries(note).map(([name, value]) => [`job.${name}`, value]));
    const { matchedCount } = await this.#devices.updateOne(driven(device), { $set: set });
    return matchedCount === 1;
  }

  /**
   * Changes a device whose job, or the absence of one, is still as it was read. Returns undefined when that has changed, or the
   * device is no longer this process's.
   */
  async change(device: DeviceDocument, change: DeviceChange): Promise<DeviceDocument | undefined> {
    const changed = await this.#devices.findOneAndUpdate(driven(device), toUpdate(change), { returnDocument: 'after' });
    return changed ?? undefined;
  }

  /** Finishes the job together with the device's new state. Returns false where `change` returns undefined. */
  async finish(device: DeviceDocument, finished: Job, change: DeviceChange): Promise<boolean> {
    const update = toUpdate(change);
    const { matchedCount } = await this.#devices.updateOne(driven(device), {
      ...update,
      $unset: { ...update.$unset, job: '' },
      $push: { ...update.$push, finished },
    });
    return matchedCount === 1;
  }

  /**
   * Changes a device on which no job is at work, when it is still in the state and start it was read in, and this process's. Returns
   * false when not.
   */
  async changeIdle(device: DeviceDocument, change: DeviceChange): Promise<boolean> {
    const { matchedCount } = await this.#devices.updateOne(
      { ...driven(device), state: device.state, generation: device.generation, job: { $exists: false } },
      toUpdate(change),
    );
    return matchedCount === 1;
  }

  /** Writes the address that the device's phone saw, unless the device has another exit, or an address, by now, or is another process's. */
  async noteAddress(
    { _id, hostId, fence, exit: { type, source, session, proxy } }: DeviceDocument,
    address: string,
  ): Promise<void> {
    const same = {
      'exit.type': type,
      'exit.source': source ?? { $exists: false },
      'exit.session': session ?? { $exists: false },
      'exit.proxy': proxy ?? { $exists: false },
    };
    await this.#devices.updateOne(
      { _id, hostId, fence, ...same, 'exit.address': { $exists: false } },
      { $set: { 'exit.address': address } },
    );
  }

  /** Returns the devices of a host, as the loops of its process read them. */
  ofHost(hostId: string): HostDevices {
    return new HostDevices(this.#devices, hostId);
  }

  /** Forgets jobs of devices that have been filed; of those that are gone, and have nothing left to file or publish, everything. */
  async forgetJobs(filed: readonly { phoneId: string; jobIds: string[] }[]): Promise<void> {
    await this.#devices.bulkWrite(
      filed.map(({ phoneId, jobIds }) => ({
        updateOne: { filter: { _id: phoneId }, update: { $pull: { finished: { id: { $in: jobIds } } } } },
      })),
      { ordered: false },
    );
    await forgetGone(this.#devices, { _id: { $in: filed.map(({ phoneId }) => phoneId) } });
  }

  /** Devices of all hosts with events to publish, read `batch` at a time. */
  withDeviceEvents(batch: number): AsyncIterable<DeviceDocument> {
    return this.#devices.find({ 'deviceEvents.id': { $exists: true } }, { batchSize: batch });
  }

  /** Takes away events; with the last one of a device that is gone and has no jobs any more, the device. */
  async deviceEventsPublished(published: readonly { phoneId: string; eventIds: readonly string[] }[]): Promise<void> {
    await this.#devices.bulkWrite(
      published.map(({ phoneId, eventIds }) => ({
        updateOne: { filter: { _id: phoneId }, update: { $pull: { deviceEvents: { id: { $in: [...eventIds] } } } } },
      })),
      { ordered: false },
    );
    await forgetGone(this.#devices, { _id: { $in: published.map(({ phoneId }) => phoneId) } });
  }

  /** Devices of plan minute of an account whose run has not ended, or is not settled. */
  findRuns(accountId: string): Promise<DeviceDocument[]> {
    return this.#devices.find({ accountId, plan: 'minute', startedAt: { $exists: true } }).toArray();
  }

  /** Devices of all accounts, oldest first, after `afterId`. */
  listAll(limit: number, afterId?: string): Promise<DeviceDocument[]> {
    return this.#devices
      .find({ gone: { $exists: false }, ...(afterId !== undefined && { _id: { $gt: afterId } }) })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Devices of all accounts that jobs are with. For the operator. */
  async listAllWithJobs(): Promise<DeviceDocument[]> {
    // Two reads, as neither database uses an index for an `$or` of them; in the order in which a job goes, see findByJob. The partial
    // index holds no other devices, and without the hint its first field would have to be in the query.
    const atWork = await this.#devices.find(AT_WORK, { hint: 'host_at_work' }).toArray();
    const unfiled = await this.#devices.find({ 'finished.id': { $exists: true } }).toArray();
    return [...new Map([...atWork, ...unfiled].map((device) => [device._id, device])).values()];
  }
}

/** A device, and the process that drove it when it was read. */
export type Driven = Pick<DeviceDocument, '_id' | 'hostId' | 'fence'>;

/** The names and the maker of the devices that a key may see. */
export interface Seen {
  names: readonly string[];
  createdBy: string;
}

/** The value of the field `nameKey`: unique to an account's device of this name. */
export function nameKey(accountId: string, name: string): string {
  return `${accountId}/${name}`;
}

function seenFilter(seen: Seen | undefined): Filter<DeviceDocument> {
  return seen === undefined ? {} : { $or: [{ name: { $in: [...seen.names] } }, { createdBy: seen.createdBy }] };
}
