import { ApiError } from '../../kit/errors.js';
import type { PhoneStatus } from '../../phone/driver.js';
import { JobFailure } from '../jobs/job-failure.js';
import type { Job, JobOutcome } from '../store/device-document.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument } from '../store/devices.js';
import { endOfRun, problemSince, running, stopped } from './device-run.js';
import { dataLost, isToBeRestored } from './next-step.js';

export function overdue(kind: string, limitMs: number, last: unknown): JobFailure {
  const why = last instanceof ApiError ? ` ${last.message}` : '';
  const message = `The ${kind} did not end within ${limitMs / 1000} s.${why} Try again; if it persists, give the operator the id of this job.`;
  return new JobFailure({ error: 'timeout', message });
}

/** Returns the change of the device by a job that was done. */
export function doneChange(device: DeviceDocument, observed: PhoneStatus, nowMs: number): DeviceChange {
  const ended = device.startedAt === undefined ? {} : stopped(device, endOfRun(device, nowMs));
  // A start or stop ends a phone's problem; a used-up balance stays one.
  const problem = device.problem?.kind === 'balance' && device.wanted !== 'running' ? {} : { problem: null };
  if (device.wanted === 'gone') return { ...stopped(device, endOfRun(device, nowMs)), gone: true };
  if (observed.state === 'running') {
    return { ...ended, ...running(observed.endpoint, nowMs), made: true, ...problem };
  }
  return { ...stopped(device, endOfRun(device, nowMs)), made: true, ...problem };
}

/**
 * Returns the change of the device by a job that failed: its phone's present state, which is from then on the wanted one. `found`
 * undefined: not known, as the driver does not respond; then the record is taken as true.
 */
export function failedChange(
  device: DeviceDocument,
  failure: JobFailure,
  found: PhoneStatus | undefined,
  nowMs: number,
): DeviceChange {
  const unchanged = found === undefined ? undefined : unchangedByRestore(device, found);
  if (unchanged !== undefined) return unchanged;
  const lost = found?.state === 'absent' && device.made === true && device.wanted !== 'gone';
  const { kind, message } = lost
    ? dataLost(device)
    : { kind: failure.problem ?? device.job?.kind ?? 'job', message: failure.message };
  const problem = problemSince({ kind, message }, nowMs);
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
function unchangedByRestore(device: DeviceDocument, found: PhoneStatus): DeviceChange | undefined {
  if (!isToBeRestored(device)) return undefined;
  if (found.state === 'running' && found.endpoint.identity === device.endpoint?.identity) {
    return { state: 'running', wanted: 'running', endpoint: found.endpoint };
  }
  // One that ran was stopped for it: that is a problem, and the customer's to know of.
  if (found.state !== 'stopped' || device.endpoint !== undefined) return undefined;
  return { state: device.problem === undefined ? 'stopped' : 'failed', wanted: 'stopped' };
}

export function finishedJob({ id, kind, createdAt, progress }: Job, outcome: JobOutcome): Job {
  return { id, kind, createdAt, progress: outcome.state === 'done' ? 100 : progress, outcome };
}
