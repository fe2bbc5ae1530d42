import type { PhoneStatus } from '../../phone/driver.js';
import type { DeviceProblem } from '../store/device-document.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument } from '../store/devices.js';
import { endOfRun, running, stopped } from './device-run.js';

/**
 * Returns the change of the device by a job that failed: its phone's present state, which is from then on the wanted one. `found`
 * undefined: not known, as the driver does not respond; then the record is taken as true.
 */
export function failedChange(
  device: DeviceDocument,
  problem: DeviceProblem,
  found: PhoneStatus | undefined,
  nowMs: number,
): DeviceChange {
  const unchanged = unchangedByRestore(device, found);
  if (unchanged !== undefined) return unchanged;
  // A create that failed after it made the phone: from now on the phone has data to lose.
  const made =
    found !== undefined && found.state !== 'absent' && found.state !== 'broken' ? { made: true as const } : {};
  if (found?.state === 'running' || (found === undefined && device.startedAt !== undefined)) {
    const endpoint = found?.endpoint ?? device.endpoint;
    if (endpoint !== undefined) {
      const sameRun = device.startedAt !== undefined && endpoint.identity === device.endpoint?.identity;
      const run: DeviceChange = sameRun ? { state: 'running', endpoint } : running(endpoint, nowMs);
      return { ...run, ...made, wanted: 'running', problem };
    }
  }
  return { ...stopped(device, endOfRun(device, nowMs)), ...made, state: 'failed', wanted: 'stopped', problem };
}

/** Returns the change back to the state before a restore that failed before it did anything; undefined: it did. */
function unchangedByRestore({ job, endpoint, problem }: DeviceDocument, found: PhoneStatus | undefined) {
  if (job?.kind !== 'restore' || job.restored === true) return undefined;
  // Nothing was announced before the snapshot was checked.
  if (job.checkedAt === undefined) return {};
  // A phone that ran was stopped for the restore: that is a problem for the customer to see.
  if (found?.state !== 'stopped' || endpoint !== undefined) return undefined;
  return { state: problem === undefined ? ('stopped' as const) : ('failed' as const), wanted: 'stopped' as const };
}
