import type { PhoneStatus } from '../../../phone/driver.js';
import { endOfRun, running, stopped } from '../../record/device-run.js';
import { isCleared, type PhoneProblem, problemSince } from '../../record/problems.js';
import type { DeviceChange } from '../../store/device-change.js';
import type { JobResult } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { ProblemKind } from '../../store/problem-kinds.js';
import { JobFailure } from '../jobs/job-failure.js';
import type { Sent } from '../moves/move-phone.js';
import type { UpgradeFindings } from '../upgrades/upgrade-steps.js';
import { appUnderWay, notInstalled } from './app-under-way.js';
import { failedChange } from './failed-change.js';

export type Step =
  | ('check' | 'create' | 'clone' | 'restore' | 'start' | 'stop' | 'delete' | 'work' | 'install' | 'send' | 'arrive')
  | UpgradeStep;

/** The steps of an upgrade that change no power of the phone. */
export type UpgradeStep = 'fetch' | 'survey' | 'copy' | 'image' | 'verify' | 'drop' | 'back';

/**
 * The state of a phone. `after` is the step that has just been done, `sent` the result of the step `send`, and `upgraded` that of a step of
 * an upgrade. `installed` is how many of the job's apps are installed after the step `install`.
 */
export type Observation = PhoneStatus & { after?: Step; sent?: Sent; upgraded?: UpgradeFindings; installed?: number };

export type Decision =
  /** Performs one step, then decides again. */
  | { step: Step }
  /**
   * Writes a change, then decides again. An empty change without `end` means that the device is as recorded. `endMs`: the change ends a
   * run, which is charged up to this time before the change is written. `end`: the change ends the job, and `result`
   * is what the job found. `begin`: the change begins a job of the service's own.
   */
  | { change: DeviceChange; endMs?: number; end?: 'done' | JobFailure; result?: JobResult; begin?: 'start' };

/** The facts that a decision needs besides the device and its phone. */
export interface Moment {
  nowMs: number;
  /** When this process began to drive the host's phones. A phone that was lost before that ended with the host's last process. */
  begunMs: number;
  /** When the phone was first missed. Absent when it was not missed, or when that time is already in the device (`lostAt`). */
  missedMs?: number | undefined;
  /** Why the job cannot be done. */
  failure?: JobFailure | undefined;
}

/** Returns the end of a job that was done. */
export function done(device: DeviceDocument, observed: Observation, { nowMs }: Moment): Decision {
  const { wanted, problem } = device;
  const ended = endRun(device, nowMs);
  if (wanted === 'gone') return { ...ended, change: { ...ended.change, gone: true }, end: 'done' };
  const cleared = isCleared(problem, wanted === 'running' ? 'started' : 'stopped') ? { problem: null } : {};
  const now = observed.state === 'running' ? running(observed.endpoint, nowMs) : {};
  return { ...ended, change: { ...ended.change, ...now, made: true, ...cleared }, end: 'done' };
}

export function failed(
  device: DeviceDocument,
  failure: JobFailure,
  found: Observation | undefined,
  at: Moment,
): Decision {
  // Failed work does not show the state of the device. Once the job is over, the phone is compared with the record.
  if (device.job?.work !== undefined) return { change: {}, end: failure };
  const app = appUnderWay(device);
  if (app !== undefined) return { change: {}, end: notInstalled(app, failure) };
  const lost = found?.state === 'absent' && device.made === true && device.wanted !== 'gone';
  const problem: PhoneProblem = lost
    ? dataLost(device)
    : { kind: failure.problem ?? (device.job?.kind as ProblemKind), message: failure.message };
  const change = { ...failedChange(device, problemSince(problem, at.nowMs), found, at.nowMs), ...left(device, found) };
  const ends = device.startedAt !== undefined && change.startedAt !== undefined;
  return { change, end: failure, ...(ends && { endMs: endOfRun(device, at.nowMs) }) };
}

/** Returns the note that the phone's old host has files of it, where the phone of a move is in place at its new host. */
function left({ job }: DeviceDocument, found: Observation | undefined): Pick<DeviceChange, 'leftAt'> {
  const isInPlace = found !== undefined && found.state !== 'absent' && found.state !== 'broken';
  return job?.move?.arrived === true && isInPlace ? { leftAt: job.move.from } : {};
}

export function failedBy(device: DeviceDocument, problem: PhoneProblem, observed: Observation, at: Moment): Decision {
  const failure = new JobFailure({ error: 'unavailable', message: problem.message }, problem.kind);
  return failed(device, failure, observed, at);
}

export function endRun(device: DeviceDocument, nowMs: number): { change: DeviceChange; endMs?: number } {
  const endMs = endOfRun(device, nowMs);
  return { change: stopped(device, endMs), ...(device.startedAt !== undefined && { endMs }) };
}

export function neverMade({ name }: DeviceDocument): PhoneProblem {
  const message = `The phone was not made. Delete the device, DELETE /v1/devices/${name}, and send the request again.`;
  return { kind: 'create', message };
}

export function dataLost({ name }: DeviceDocument): PhoneProblem {
  const message =
    `The phone's data is not on its host any more. If the host's storage comes back, so does the phone; ` +
    `else delete the device: DELETE /v1/devices/${name}.`;
  return { kind: 'data_lost', message };
}
