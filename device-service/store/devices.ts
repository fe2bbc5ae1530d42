import type { Collection, Db, Filter } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { type DeviceChange, driven, toUpdate } from './device-change.js';
import { type DeviceDocument, type DeviceEvent, type DeviceStateWord, type Job, nameKey } from './device-document.js';
import type { DeviceExit } from './device-exit.js';
import { DeviceSettings } from './device-settings.js';
import { AT_WORK, forgetGone, HostDevices, IDLE_STOPPED } from './host-devices.js';
import { insertNew } from './insert-new.js';
import { DeviceClaims } from './device-claims.js';
import { DeviceHandovers } from './device-handovers.js';
import { DeviceLeases } from './device-leases.js';
import { DevicePools } from './device-pools.js';
import { handoverLost } from './handover.js';
import { LEASED, leaseLost } from './lease.js';
import { type Seen, seenFilter } from './seen.js';

export type { DeviceDocument } from './device-document.js';
export { nameKey } from './device-document.js';
export type { Seen } from './seen.js';

/** The devices collection. A device's document contains the job at work on it, and its finished jobs that are not filed yet. */
export class DeviceStore {
  readonly settings: DeviceSettings;
  readonly claims: DeviceClaims;
  readonly leases: DeviceLeases;
  readonly handovers: DeviceHandovers;
  readonly pools: DevicePools;
  readonly #devices: Collection<DeviceDocument>;

  constructor(database: Db) {
    this.#devices = database.collection<DeviceDocument>('devices');
    this.settings = new DeviceSettings(this.#devices);
    this.claims = new DeviceClaims(this.#devices);
    this.leases = new DeviceLeases(this.#devices);
    this.handovers = new DeviceHandovers(this.#devices);
    this.pools = new DevicePools(this.#devices);
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
      { key: { accountId: 1, 'lease.id': 1 }, name: 'account_leased', partialFilterExpression: LEASED },
      { key: { 'lease.expiresAt': 1 }, name: 'lease_end', sparse: true },
      { key: { 'lease.ended.at': 1 }, name: 'lease_ended', sparse: true },
      { key: { 'handover.expiresAt': 1 }, name: 'handover_end', sparse: true },
      { key: { 'pool.id': 1 }, name: 'pool', sparse: true },
      { key: { poolSlotKey: 1 }, name: 'pool_slot', unique: true, sparse: true },
      { key: { 'job.snapshot': 1 }, name: 'job_snapshot', sparse: true },
      { key: { 'job.template': 1 }, name: 'job_template', sparse: true },
      { key: { 'leftAt.hostId': 1 }, name: 'left_at', sparse: true },
    ]);
  }

  /** Inserts a device. Returns false when its name or its slot is taken, or it was inserted before. */
  insert(device: DeviceDocument): Promise<boolean> {
    return insertNew(this.#devices, device);
  }

  /** Returns those of `slotKeys` that a device has. */
  async findTakenSlots(slotKeys: readonly string[]): Promise<Set<string>> {
    const taken = await this.#devices
      .find({ slotKey: { $in: [...slotKeys] } }, { projection: { slotKey: 1 } })
      .toArray();
    return new Set(taken.flatMap(({ slotKey }) => slotKey ?? []));
  }

  findByName(accountId: string, name: string): Promise<DeviceDocument | null> {
    return this.#devices.findOne({ nameKey: nameKey(accountId, name) });
  }

  /** Returns which of `names` are names of the account's devices. */
  async findNames(accountId: string, names: readonly string[]): Promise<string[]> {
    const found = await this.#devices
      .find({ nameKey: { $in: names.map((name) => nameKey(accountId, name)) } })
      .toArray();
    return found.map(({ name }) => name);
  }

  /** Returns the account's devices, with the room that their phones take. */
  findStorage(accountId: string): Promise<Pick<DeviceDocument, '_id' | 'storageBytes'>[]> {
    return this.#devices.find({ accountId, gone: { $exists: false } }, { projection: { storageBytes: 1 } }).toArray();
  }

  /** Writes the room that the device's phone takes, unless another process drives the device by now. */
  async noteStorage({ _id, hostId, fence }: Driven, storageBytes: number): Promise<void> {
    await this.#devices.updateOne({ _id, hostId, fence }, { $set: { storageBytes } });
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

  /** Returns the account's devices with finished jobs that have not been filed. There are few of them, for a short time. */
  findUnfiled(accountId: string): Promise<DeviceDocument[]> {
    return this.#devices.find({ accountId, 'finished.id': { $exists: true } }).toArray();
  }

  /** Returns a device whose job begins from the snapshot. */
  findBySnapshot(snapshotId: string): Promise<DeviceDocument | null> {
    return this.#devices.findOne({ 'job.snapshot': snapshotId });
  }

  /** Returns a device that is being made from the template. */
  findByTemplate(templateId: string): Promise<DeviceDocument | null> {
    return this.#devices.findOne({ 'job.template': templateId });
  }

  /** Returns the checksums of the files of libraries that jobs at work name, of all hosts. */
  async findLibraryUses(): Promise<Set<string>> {
    const atWork = await this.#devices.find(AT_WORK, { hint: 'host_at_work', projection: { job: 1 } }).toArray();
    return new Set(atWork.flatMap(({ job }) => libraryFilesOf(job)));
  }

  /** Returns the devices of all hosts that are being moved. The hint names the partial index, as in `listAllWithJobs`. */
  findMoves(): Promise<DeviceDocument[]> {
    return this.#devices.find({ ...AT_WORK, 'job.kind': 'move' }, { hint: 'host_at_work' }).toArray();
  }

  /** Returns the devices whose phones have moved away from a host that still has the files. */
  findLeftAt(hostId: string): Promise<DeviceDocument[]> {
    return this.#devices.find({ 'leftAt.hostId': hostId }).toArray();
  }

  /** Notes that a host has removed the files of a phone that had moved away. */
  async forgetLeft(phoneId: string, hostId: string): Promise<void> {
    await this.#devices.updateOne({ _id: phoneId }, { $pull: { leftAt: { hostId } } });
  }

  /** Returns the running devices among `phoneIds`. */
  findRunning(phoneIds: readonly string[]): Promise<DeviceDocument[]> {
    return this.#devices.find({ _id: { $in: [...phoneIds] }, state: 'running' }).toArray();
  }

  /** Returns the account's device that the job is, or was, at work on; null once the job has been filed. */
  async findByJob(accountId: string, jobId: string): Promise<DeviceDocument | null> {
    // The reads are in the order in which a job moves, so that a job that moves on meanwhile is found all the same.
    return (
      (await this.#devices.findOne({ accountId, 'job.id': jobId })) ??
      this.#devices.findOne({ accountId, 'finished.id': jobId })
    );
  }

  /**
   * Returns devices by name, after `afterName`. `seen` limits them to those that a key may see. `problem` limits them to those with a
   * problem, or those without.
   */
  list(query: {
    accountId: string;
    seen: Seen | undefined;
    state?: DeviceStateWord | undefined;
    problem?: boolean;
    /** A label as `key:value`. */
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

  /** Returns names and ids of the account's devices that a caller sees, by name, at most `limit`. */
  listSeen(accountId: string, seen: Seen | undefined, limit: number): Promise<Pick<DeviceDocument, '_id' | 'name'>[]> {
    const filter: Filter<DeviceDocument> = { accountId, gone: { $exists: false }, ...seenFilter(seen) };
    return this.#devices
      .find(filter, { projection: { name: 1 } })
      .sort({ name: 1 })
      .limit(limit)
      .toArray();
  }

  /** Returns devices that a job is at work on, newest job first, before `beforeJobId`. */
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

  /** Takes over one device of the host that still has the number of an earlier epoch. */
  async take(phoneId: string, hostId: string, epoch: number): Promise<void> {
    await this.#devices.updateOne({ _id: phoneId, hostId, fence: { $lt: epoch } }, { $set: { fence: epoch } });
  }

  /** Writes the progress of the job at work, or its last error. Returns false when this process no longer drives the device. */
  async noteJob(
    device: DeviceDocument,
    note: Partial<Pick<Job, 'progress' | 'retries' | 'lastError'>>,
  ): Promise<boolean> {
    const set = Object.fromEntries(Object.entries(note).map(([name, value]) => [`job.${name}`, value]));
    const { matchedCount } = await this.#devices.updateOne(driven(device), { $set: set });
    return matchedCount === 1;
  }

  /** Writes what the job at work waits for; undefined: its own work. Returns false when this process no longer drives the device. */
  async notePhase(device: DeviceDocument, phase: Job['phase']): Promise<boolean> {
    const { matchedCount } = await this.#devices.updateOne(
      driven(device),
      phase === undefined ? { $unset: { 'job.phase': '' } } : { $set: { 'job.phase': phase } },
    );
    return matchedCount === 1;
  }

  /**
   * Ends the job of a device, which fetches an image or a template, and gives the device another job, in one update. Returns undefined when the job has
   * ended, or goes on with its own work, by now.
   */
  async replacePull(
    { _id, job }: DeviceDocument,
    finished: Job,
    next: Job,
    change: DeviceChange,
  ): Promise<DeviceDocument | undefined> {
    const update = toUpdate(change);
    const replaced = await this.#devices.findOneAndUpdate(
      { _id, 'job.id': job?.id ?? '', 'job.phase': { $in: ['pulling', 'copying'] }, gone: { $exists: false } },
      { ...update, $set: { ...update.$set, job: next }, $push: { ...update.$push, finished } },
      { returnDocument: 'after' },
    );
    return replaced ?? undefined;
  }

  /**
   * Changes a device if it has the same job, or no job, as when it was read. Returns undefined when that has changed, or this process no
   * longer drives the device.
   */
  async change(device: DeviceDocument, change: DeviceChange): Promise<DeviceDocument | undefined> {
    const changed = await this.#devices.findOneAndUpdate(driven(device), toUpdate(change), { returnDocument: 'after' });
    return changed ?? undefined;
  }

  /** Finishes the job together with the device's new state. Returns false in the cases in which the method `change` returns undefined. */
  async finish(device: DeviceDocument, finished: Job, change: DeviceChange): Promise<boolean> {
    const lost = change.gone === true ? lostWith(device, finished) : [];
    const update = toUpdate(
      lost.length === 0 ? change : { ...change, deviceEvents: [...(change.deviceEvents ?? []), ...lost] },
    );
    const { matchedCount } = await this.#devices.updateOne(driven(device), {
      ...update,
      $unset: { ...update.$unset, job: '' },
      $push: { ...update.$push, finished },
    });
    return matchedCount === 1;
  }

  /**
   * Changes a device on which no job is at work. Returns false when its state or start has changed since it was read, or this process no
   * longer drives it.
   */
  async changeIdle(device: DeviceDocument, change: DeviceChange): Promise<boolean> {
    const { matchedCount } = await this.#devices.updateOne(
      { ...driven(device), state: device.state, generation: device.generation, job: { $exists: false } },
      toUpdate(change),
    );
    return matchedCount === 1;
  }

  /**
   * Writes the address that the device's phone saw. Nothing is written if the device has another exit, or an address, by now, or another
   * process drives it.
   */
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

  /** Replaces a device's exit while the device has it, and this process has the device. Returns whether it was replaced. */
  async replaceExit({ _id, hostId, fence, exit: before }: DeviceDocument, exit: DeviceExit): Promise<boolean> {
    const { matchedCount } = await this.#devices.updateOne({ _id, hostId, fence, exit: before }, { $set: { exit } });
    return matchedCount > 0;
  }

  /** Returns the devices of a host, as the loops of the host's process read them. */
  ofHost(hostId: string): HostDevices {
    return new HostDevices(this.#devices, hostId);
  }

  /** Removes filed jobs from their devices. A device that is gone, and has nothing left to file or publish, is removed whole. */
  async forgetJobs(filed: readonly { phoneId: string; jobIds: string[] }[]): Promise<void> {
    await this.#devices.bulkWrite(
      filed.map(({ phoneId, jobIds }) => ({
        updateOne: { filter: { _id: phoneId }, update: { $pull: { finished: { id: { $in: jobIds } } } } },
      })),
      { ordered: false },
    );
    await forgetGone(this.#devices, { _id: { $in: filed.map(({ phoneId }) => phoneId) } });
  }

  /** Returns the devices of all hosts with events to publish, read `batch` at a time. */
  withDeviceEvents(batch: number): AsyncIterable<DeviceDocument> {
    return this.#devices.find({ 'deviceEvents.id': { $exists: true } }, { batchSize: batch });
  }

  /** Removes published events. A device that is gone and has no jobs left is removed with its last event. */
  async deviceEventsPublished(published: readonly { phoneId: string; eventIds: readonly string[] }[]): Promise<void> {
    await this.#devices.bulkWrite(
      published.map(({ phoneId, eventIds }) => ({
        updateOne: { filter: { _id: phoneId }, update: { $pull: { deviceEvents: { id: { $in: [...eventIds] } } } } },
      })),
      { ordered: false },
    );
    await forgetGone(this.#devices, { _id: { $in: published.map(({ phoneId }) => phoneId) } });
  }

  /** Returns the account's devices of plan minute with a run that has not ended, or is not yet settled. */
  findRuns(accountId: string): Promise<DeviceDocument[]> {
    return this.#devices.find({ accountId, plan: 'minute', startedAt: { $exists: true } }).toArray();
  }

  /** Returns devices of all accounts, oldest first, after `afterId`. */
  listAll(limit: number, afterId?: string): Promise<DeviceDocument[]> {
    return this.#devices
      .find({ gone: { $exists: false }, ...(afterId !== undefined && { _id: { $gt: afterId } }) })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Returns the devices of all accounts that have a job, at work or not yet filed. The operator reads them. */
  async listAllWithJobs(): Promise<DeviceDocument[]> {
    // There are two reads, as neither database uses an index for an `$or` of them. They are in the order in which a job moves, see
    // findByJob. The hint names the partial index, which has only these devices. Without it, the index's first field would have to be in
    // the query.
    const atWork = await this.#devices.find(AT_WORK, { hint: 'host_at_work' }).toArray();
    const unfiled = await this.#devices.find({ 'finished.id': { $exists: true } }).toArray();
    return [...new Map([...atWork, ...unfiled].map((device) => [device._id, device])).values()];
  }
}

/** A device, and the process that drove it when it was read. */
export type Driven = Pick<DeviceDocument, '_id' | 'hostId' | 'fence'>;

/**
 * Returns the events of the lease and the hand-over that end with their device. None begins while a job is at work on it, so those that
 * were read are the ones that end, or have ended meanwhile.
 */
function lostWith({ lease, handover }: DeviceDocument, { outcome }: Job): DeviceEvent[] {
  if (outcome === undefined) return [];
  const lost = [leaseLost(lease, outcome.finishedAt), handoverLost(handover, outcome.finishedAt)];
  return lost.filter((event) => event !== undefined);
}

function libraryFilesOf(job: Job | undefined): string[] {
  const ofWork = job?.work?.kind === 'install' ? [job.work.from] : [];
  const sources = [...ofWork, ...(job?.apps ?? []).map(({ from }) => from)];
  return sources.flatMap((from) => ('library' in from ? from.library.sha256 : []));
}
