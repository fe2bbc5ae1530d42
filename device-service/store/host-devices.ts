import type { Collection, Filter } from 'mongodb';
import type { DeviceDocument, DeviceStateWord } from './device-document.js';

/** Matches devices that a job is at work on. */
export const AT_WORK = { 'job.id': { $exists: true } };

/** Matches devices that are stopped when nobody uses them. */
export const IDLE_STOPPED = { idleStopS: { $exists: true } };

export interface DeviceCount {
  state: DeviceStateWord;
  /** Undefined: the devices without a problem. */
  problem: string | undefined;
  count: number;
}

/** The devices of one host. Has the queries of the loops in the host's process, and the changes to all devices of the host. */
export class HostDevices {
  readonly #devices: Collection<DeviceDocument>;
  readonly #hostId: string;

  constructor(devices: Collection<DeviceDocument>, hostId: string) {
    this.#devices = devices;
    this.#hostId = hostId;
  }

  /**
   * Gives the devices to the host's process with this epoch, unless a later one has them. Writes of earlier processes have no effect from
   * then on. A job that an earlier process was at work on counts one takeover more.
   *
   * Whether the phones still run is not known. `seenBefore` is the time at which the last process was last known to be alive. It is written
   * into each device that ran and has no such time yet.
   */
  async takeAll(epoch: number, seenBefore: Date | undefined): Promise<void> {
    const before = { hostId: this.#hostId, fence: { $lt: epoch } };
    if (seenBefore !== undefined) {
      await this.#devices.updateMany(
        { ...before, startedAt: { $exists: true }, lostAt: { $exists: false } },
        { $set: { lostAt: seenBefore } },
      );
    }
    await this.#devices.updateMany(
      { ...before, 'job.id': { $exists: true } },
      { $set: { fence: epoch }, $inc: { 'job.takeovers': 1 } },
    );
    await this.#devices.updateMany(before, { $set: { fence: epoch } });
  }

  /**
   * Gives the devices to another host, as this one was forgotten. They lose the operator's phones that they had. A device that a later
   * process of this host has taken over stays. Returns the number of devices that moved.
   */
  async moveAll(
    from: { epoch: number; lostAt: Date },
    to: { hostId: string; epoch: number; driver: string },
  ): Promise<number> {
    const { modifiedCount } = await this.#devices.updateMany(
      { hostId: this.#hostId, fence: { $lte: from.epoch } },
      {
        $set: { hostId: to.hostId, fence: to.epoch, driver: to.driver, lostAt: from.lostAt },
        $unset: { slot: '', slotKey: '' },
      },
    );
    return modifiedCount;
  }

  /** Returns the devices that jobs are at work on. */
  findAtWork(): Promise<DeviceDocument[]> {
    return this.#devices.find({ hostId: this.#hostId, 'job.id': { $exists: true } }).toArray();
  }

  /** Returns all devices, or those in one of `states` when it is given. */
  find(states?: readonly DeviceStateWord[]): Promise<DeviceDocument[]> {
    const gone = { $exists: false };
    return this.#devices
      .find({ hostId: this.#hostId, gone, ...(states !== undefined && { state: { $in: [...states] } }) })
      .toArray();
  }

  /** Returns how many devices there are. */
  count(): Promise<number> {
    return this.#devices.countDocuments({ hostId: this.#hostId, gone: { $exists: false } });
  }

  /** Returns how many devices there are of each state and kind of problem. */
  async countByState(signal: AbortSignal): Promise<DeviceCount[]> {
    const groups = await this.#devices
      .aggregate<{ _id: { state: DeviceStateWord; problem?: string | null }; count: number }>(
        [
          { $match: { hostId: this.#hostId, gone: { $exists: false } } },
          { $group: { _id: { state: '$state', problem: '$problem.kind' }, count: { $sum: 1 } } },
        ],
        { signal },
      )
      .toArray();
    return groups.map(({ _id: { state, problem }, count }) => ({ state, problem: problem ?? undefined, count }));
  }

  /** Returns running devices of plan minute; only those that started at `since` or later, when it is given. */
  findMetered(since?: Date): Promise<DeviceDocument[]> {
    return this.#devices
      .find({
        hostId: this.#hostId,
        state: 'running',
        plan: 'minute',
        ...(since !== undefined && { startedAt: { $gte: since } }),
      })
      .toArray();
  }

  /** Returns running devices that are to be stopped after some time without use. */
  findIdleStopped(): Promise<DeviceDocument[]> {
    return this.#devices.find({ hostId: this.#hostId, idleStopS: { $exists: true }, state: 'running' }).toArray();
  }

  /** Returns devices of plan month, running or not. */
  findMonthly(): Promise<DeviceDocument[]> {
    return this.#devices.find({ hostId: this.#hostId, plan: 'month', gone: { $exists: false } }).toArray();
  }

  /** Returns devices with finished jobs that have not been filed. */
  findUnfiled(): Promise<DeviceDocument[]> {
    return this.#devices.find({ hostId: this.#hostId, 'finished.id': { $exists: true } }).toArray();
  }

  /** Removes devices that are gone but were not removed because of a crash. */
  async forgetGone(): Promise<void> {
    await forgetGone(this.#devices, { hostId: this.#hostId });
  }
}

/** Removes devices that are gone, and have no job left to be filed and no event to publish. */
export async function forgetGone(devices: Collection<DeviceDocument>, which: Filter<DeviceDocument>): Promise<void> {
  const done = { gone: true as const, 'finished.id': { $exists: false }, 'deviceEvents.id': { $exists: false } };
  await devices.deleteMany({ ...which, ...done });
}
