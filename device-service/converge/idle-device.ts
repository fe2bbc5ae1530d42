import type { PhoneStatus } from '../../phone/driver.js';
import { STEADY_RUN_MS } from '../limits.js';
import type { DeviceProblem } from '../store/device-document.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument } from '../store/devices.js';
import { problemSince, running, stopped } from './device-run.js';
import { dataLost } from './next-step.js';

/** The measures for a device without a job at work on it, whose phone is not as recorded. */
export type Repair =
  | { do: 'nothing' }
  /** Record the observed state. `endMs`: the run that ended unnoticed is charged up to then, first. */
  | { do: 'record'; change: DeviceChange; endMs?: number }
  /** Start the phone again, by a job of the service's own. */
  | { do: 'start'; change: DeviceChange; endMs?: number }
  /** The phone runs although its device is not wanted to. */
  | { do: 'stop' };

/** Kinds of problems that are over once the phone is found as it should be. */
const FOUND_HERE = ['data_lost', 'broken'];

/**
 * Returns the repair of a device without a job, where `observed` is the state of its phone now. `lostMs` is when a phone that
 * no longer runs was last known to, and `restarted`: its host's process has just started.
 *
 * Each way leads to a record that is true: a phone that runs is reachable and charged, one that does not is neither.
 */
export function repairOf(
  device: DeviceDocument,
  observed: PhoneStatus,
  at: { nowMs: number; lostMs: number; restarted: boolean },
): Repair {
  return device.wanted === 'running' ? wantedRunning(device, observed, at) : wantedStopped(device, observed, at.nowMs);
}

function wantedRunning(
  device: DeviceDocument,
  observed: PhoneStatus,
  { nowMs, lostMs, restarted }: { nowMs: number; lostMs: number; restarted: boolean },
): Repair {
  const { startedAt } = device;
  if (observed.state === 'starting') return { do: 'nothing' };
  if (observed.state === 'running') {
    const { endpoint } = observed;
    if (device.state !== 'running') {
      return { do: 'record', change: { ...running(endpoint, nowMs), ...foundWell(device) } };
    }
    const known = device.endpoint;
    if (known?.identity === endpoint.identity && known.host === endpoint.host && known.port === endpoint.port) {
      return { do: 'nothing' };
    }
    // Rebooted, or moved to another port, behind our back: the run goes on, connections of the old start do not.
    return { do: 'record', change: { endpoint, nextGeneration: true } };
  }
  // A run that ended by itself ended at an unknown time; it is counted up to when the phone was last known to run, and no longer.
  const endMs = Math.min(nowMs, Math.max(lostMs, startedAt?.getTime() ?? 0));
  const ended = { change: stopped(device, endMs), ...(startedAt !== undefined && { endMs }) };
  if (observed.state === 'stopped') {
    if (restarted || device.state === 'failed' || nowMs - (startedAt?.getTime() ?? nowMs) >= STEADY_RUN_MS) {
      return { do: 'start', ...ended };
    }
    const why = observed.reason === undefined ? '' : ` (${observed.reason})`;
    const message = `The phone stopped by itself${why}. Call POST /v1/devices/${device.name}/start to bring it back.`;
    const problem = problemSince({ kind: 'stopped_by_itself', message }, nowMs);
    return { do: 'record', ...ended, change: { ...ended.change, state: 'failed', wanted: 'stopped', problem } };
  }
  const problem = problemSince(unusable(device, observed), nowMs);
  if (device.problem?.kind === problem.kind && device.state === 'failed') return { do: 'nothing' };
  // Still wanted: once the storage or the phone is back, it is started again.
  return { do: 'record', ...ended, change: { ...ended.change, state: 'failed', problem } };
}

function wantedStopped(device: DeviceDocument, observed: PhoneStatus, nowMs: number): Repair {
  if (observed.state === 'running' || observed.state === 'starting') return { do: 'stop' };
  if (observed.state === 'stopped') {
    const over = FOUND_HERE.includes(device.problem?.kind ?? '');
    return over ? { do: 'record', change: { state: 'stopped', problem: null } } : { do: 'nothing' };
  }
  if (device.made !== true) return { do: 'nothing' };
  const problem = problemSince(unusable(device, observed), nowMs);
  if (device.problem?.kind === problem.kind) return { do: 'nothing' };
  return { do: 'record', change: { state: 'failed', problem } };
}

function unusable(
  device: DeviceDocument,
  observed: { state: 'absent' } | { state: 'broken'; problem: string },
): Omit<DeviceProblem, 'since'> {
  return observed.state === 'absent' ? dataLost(device) : { kind: 'broken', message: observed.problem };
}

function foundWell(device: DeviceDocument): DeviceChange {
  return FOUND_HERE.includes(device.problem?.kind ?? '') ? { problem: null } : {};
}
