import { ApiError } from '../../../kit/errors/api-error.js';
import { problemSince, withDeviceEvents } from '../../record/problems.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';
import { acceptJob, type AcceptContext } from '../jobs/accept-job.js';
import { LOW_DISK_MB, OVERFULL_GRACE_MS, OVERFULL_PERCENT, OVERFULL_SLACK_MB } from '../limits.js';

const MIB = 1024 ** 2;

type OverfullContext = AcceptContext & Pick<DevicesContext, 'drivers' | 'hostId' | 'log'>;

/** Stops the running phones of this host whose files take more of a shared disk than their models have. */
export class OverfullPhones {
  readonly #context: OverfullContext;

  constructor(context: OverfullContext) {
    this.#context = context;
  }

  /**
   * Stops a phone whose files were measured, if they take too much. The job and its reason are one update; after a crash before it, the next
   * measurement finds the phone again. `device` is as it was before the measurement, with the earlier size.
   */
  async judge(device: DeviceDocument, bytes: number, isLow = false): Promise<void> {
    const { devices, drivers, clock, log } = this.#context;
    const maxBytes = await drivers.of(device).sharedDisk?.maxBytes(device._id);
    if (maxBytes === undefined || bytes <= allowed(maxBytes)) return;
    // The measurement took its time: the phone may have been stopped or started meanwhile.
    const now = await devices.findById(device._id);
    if (now?.state !== 'running' || now.job !== undefined) return;
    if (!isLow && this.#hasTime(now, bytes, maxBytes)) return;
    const problem = problemSince({ kind: 'storage', message: messageOf(now.name, bytes, maxBytes) }, clock.now());
    try {
      await acceptJob(this.#context, now, { kind: 'stop' }, withDeviceEvents(now, { problem }, clock.now()));
    } catch (error) {
      // The phone is busy by now; the next measurement finds it again.
      if (!(error instanceof ApiError)) throw error;
      return;
    }
    log.warn(
      { device: now.name, account: now.accountId, bytes, maxBytes, isDiskLow: isLow },
      'stopping a phone whose files take more than its model has; a file system with project quotas would have bounded it',
    );
  }

  /**
   * Where the disk of phones is nearly full, measures the phones on it and stops those that take too much. The phones that were the
   * largest at the last measurement are first. Does nothing on a disk with room.
   */
  async relieve(signal: AbortSignal): Promise<void> {
    const { devices, drivers, hostId } = this.#context;
    for (const driver of drivers.all) {
      const freeMb = await driver.sharedDisk?.freeMb();
      if (freeMb === undefined || freeMb >= LOW_DISK_MB) continue;
      const running = (await devices.ofHost(hostId).find(['running'])).filter((one) => one.driver === driver.kind);
      running.sort((one, other) => (other.storageBytes ?? 0) - (one.storageBytes ?? 0));
      for (const device of running) {
        signal.throwIfAborted();
        await this.#measureAndJudge(device);
      }
    }
  }

  async #measureAndJudge(device: DeviceDocument): Promise<void> {
    try {
      const bytes = await this.#context.drivers.of(device).usedBytes?.(device._id);
      if (bytes === undefined) return;
      await this.judge(device, bytes, true);
      // The size before the next start shows whether the owner has time then.
      await this.#context.devices.noteStorage(device, bytes);
    } catch (error) {
      this.#context.log.warn(
        { err: error, phone: device._id },
        'a phone on a disk that is nearly full cannot be judged',
      );
    }
  }

  /** Returns whether the owner still has time to delete files. A phone has it that was too large before its start and hardly grows. */
  #hasTime({ startedAt, storageBytes = 0 }: DeviceDocument, bytes: number, maxBytes: number): boolean {
    const sinceStartMs = this.#context.clock.now() - (startedAt?.getTime() ?? 0);
    const wasOver = storageBytes > allowed(maxBytes) && bytes <= storageBytes + slack(maxBytes);
    return wasOver && sinceStartMs < OVERFULL_GRACE_MS;
  }
}

/** Returns how many bytes more than its size a phone may take: measuring counts blocks, and the phone's folder has files of the service. */
function slack(maxBytes: number): number {
  return Math.max((maxBytes * OVERFULL_PERCENT) / 100, OVERFULL_SLACK_MB * MIB);
}

function allowed(maxBytes: number): number {
  return maxBytes + slack(maxBytes);
}

function messageOf(name: string, bytes: number, maxBytes: number): string {
  const [used, most] = [bytes, maxBytes].map((one) => Math.ceil(one / MIB));
  return (
    `The phone was stopped, as its files take ${used} MiB and its model has ${most} MiB. Call POST /v1/devices/${name}/start ` +
    `and delete files or uninstall apps within ${OVERFULL_GRACE_MS / 60_000} minutes, or restore a snapshot.`
  );
}
