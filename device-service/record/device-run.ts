import type { PhoneEndpoint } from '../../phone/driver.js';
import { addRun } from './running-minutes.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument } from '../store/devices.js';

/** Charges the rest of a run that ends at `endMs`. Charging it again changes nothing. */
export type SettleRun = (device: DeviceDocument, endMs: number) => Promise<void>;

/** Returns the change of a device that runs: it is reachable at `endpoint`, and charged from now on. */
export function running(endpoint: PhoneEndpoint, nowMs: number): DeviceChange {
  return { state: 'running', endpoint, startedAt: new Date(nowMs), lostAt: null, nextGeneration: true };
}

/** Returns the change of a device that no longer runs: it cannot be reached, and its run is counted up to `endMs`. */
export function stopped(device: DeviceDocument, endMs: number): DeviceChange {
  return {
    state: 'stopped',
    endpoint: null,
    startedAt: null,
    lostAt: null,
    ...(device.startedAt !== undefined && { minutes: addRun(device.minutes, device.startedAt.getTime(), endMs) }),
  };
}

/**
 * Returns when a run ended, ms. A job ends the run when it is accepted or, where its snapshot is checked first, when that check is done. The
 * device leaves `running` at that time, however long the job's work takes. If the phone was lost earlier, the run ended at the loss.
 */
export function endOfRun({ job, lostAt, startedAt }: DeviceDocument, nowMs: number): number {
  // The phone of an upgrade stays in use until the job is announced; one that stops before that has stopped by itself.
  const acceptedAt = job?.kind === 'upgrade' ? undefined : job?.createdAt;
  // A run that began with the job, which then installs apps, ends when the phone stops by itself.
  const announcedAt = job?.apps === undefined ? (job?.checkedAt ?? acceptedAt) : undefined;
  const endedMs = announcedAt?.getTime() ?? nowMs;
  return lostAt === undefined ? endedMs : Math.min(endedMs, Math.max(lostAt.getTime(), startedAt?.getTime() ?? 0));
}
