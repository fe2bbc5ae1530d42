import type { PhoneStatus } from '../../../phone/driver.js';
import type { DeviceProblem } from '../../store/device-document.js';
import type { DeviceChange } from '../../store/device-change.js';
import type { DeviceDocument } from '../../store/devices.js';
import { endOfRun, running, stopped } from '../../record/device-run.js';

/**
 * Returns the change of a device whose job failed. It records the present state of the phone, which becomes the wanted state. When
 * `found` is undefined, the driver did not respond, and the recorded state is taken as the present one.
 */
export function failedChange(
  device: DeviceDocument,
  problem: DeviceProblem,
  found: PhoneStatus | undefined,
  nowMs: number,
): DeviceChange {
  const unchanged = unchangedByRestore(device, found);
  if (unchanged !== undefined) return unchanged;
  // The create failed after it made the phone. From now on, the phone has data that can be lost.
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

/** Returns the change back to the state before a restore, if the restore failed before it changed anything; otherwise undefined. */
function unchangedByRestore({ job, endpoint, problem }: DeviceDocument, found: PhoneStatus | undefined) {
  if (job?.kind !== 'restore' || job.restored === true) return undefined;
  // Nothing is announced before the snapshot is checked, so there is nothing to change back.
  if (job.checkedAt === undefined) return {};
  // If the restore stopped a running phone, the customer must see that as a problem.
  if (found?.state !== 'stopped' || endpoint !== undefined) return undefined;
  return { state: problem === undefined ? ('stopped' as const) : ('failed' as const), wanted: 'stopped' as const };
}
