import type { Log } from '../../kit/log.js';
import type { PhoneDriver } from '../../phone/driver.js';
import type { JobParts } from '../jobs/accept-job.js';
import { type JobFiler, unfiledJobs } from '../jobs/job-filer.js';
import type { HostStore } from '../store/hosts.js';
import type { DeviceDocument } from '../store/devices.js';
import type { SettleRun } from '../work/works.js';
import { bringBack } from './bring-back.js';

export interface ReconcileParts extends JobParts {
  driver: PhoneDriver;
  hosts: HostStore;
  settle: SettleRun;
  filer: JobFiler;
  log: Log;
}

/**
 * On start, makes the database and the phones of this host agree again. This instance is the only one of its host (the data
 * folder is locked), so jobs that its predecessor had are taken over at once, whatever their lease says: the fencing number keeps
 * the predecessor, should it still breathe, from any effect.
 *
 * What the database says is running is found alive and kept, or brought back by a start job, whose failure is told as the device's
 * problem. A crash in here is mended by the next start.
 */
export async function reconcile(parts: ReconcileParts): Promise<void> {
  const { devices, worker, log } = parts;
  await parts.filer.file((await devices.findUnfiledOfHost(worker.hostId)).flatMap(unfiledJobs));
  await devices.forgetGoneOfHost(worker.hostId);
  const all = await devices.findOfHost(worker.hostId, [
    'creating',
    'starting',
    'stopping',
    'deleting',
    'running',
    'failed',
  ]);
  const lastSeen = (await parts.hosts.find(worker.hostId))?.seenAt;
  for (const device of all) {
    try {
      if (device.job !== undefined) await worker.take(device._id, device.job);
      else if (device.state === 'running') await keepOrBringBack(parts, device, lastSeen);
    } catch (error) {
      log.error({ device: device.name, err: error }, 'could not reconcile a device');
    }
  }
}

/** A device that should be running: its address may have changed, or the phone may have gone down with its host. */
export async function keepOrBringBack(
  parts: ReconcileParts,
  device: DeviceDocument,
  lastSeen: Date | undefined,
): Promise<void> {
  const { devices, driver, log, clock } = parts;
  const status = await driver.inspect(device._id);
  if (status.state === 'running') {
    if (device.address?.identity !== status.endpoint.identity || device.address.port !== status.endpoint.port) {
      await devices.changeIdle(device, { address: status.endpoint, nextGeneration: true });
    }
    return;
  }
  log.warn({ device: device.name, found: status.state }, 'a running phone is gone; bringing it back');
  // The run ended at an unknown time; it is counted up to when this host was last heard of, and no longer.
  const endMs = Math.min(clock.now(), Math.max(lastSeen?.getTime() ?? 0, device.startedAt?.getTime() ?? 0));
  await bringBack(parts, device, endMs);
}
