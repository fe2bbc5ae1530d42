import type { PhoneEndpoint } from '../../phone/driver.js';
import { addRun } from '../devices/running-minutes.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument } from '../store/devices.js';

/** Charges the rest of a run that ends at `endMs`. Charging it again changes nothing. */
export type SettleRun = (device: DeviceDocument, endMs: number) => Promise<void>;

/** The device runs: reachable at `endpoint`, and charged from now on. */
export function running(endpoint: PhoneEndpoint, nowMs: number): DeviceChange {
  return { state: 'running', endpoint, startedAt: new Date(nowMs), lostAt: null, nextGeneration: true };
}

/** The device does not run any more: out of reach, and its run counted up to `endMs`. */
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
 * Returns the end of a run that is over. The job that ends it does so when it is accepted, or announced after a check: the device left
 * `running` then, whenever its work is done. A phone that was lost earlier has run up to then.
 */
export function endOfRun({ job, lostAt, startedAt }: DeviceDocument, nowMs: number): number {
  const endedMs = (job?.checkedAt ?? job?.createdAt)?.getTime() ?? nowMs;
  return lostAt === undefined ? endedMs : Math.min(endedMs, Math.max(lostAt.getTime(), startedAt?.getTime() ?? 0));
}
