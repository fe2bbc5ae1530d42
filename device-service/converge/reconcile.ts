import type { PhoneEndpoint, PhoneStatus } from '../../phone/driver.js';
import type { ProblemKind } from '../health/problem-kinds.js';
import { isCleared, type PhoneProblem, problemSince } from '../health/problems.js';
import { JobFailure } from '../jobs/job-failure.js';
import { STEADY_RUN_MS, STEP_MS } from '../limits.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument } from '../store/devices.js';
import { endOfRun, running, stopped } from './device-run.js';
import { failedChange } from './failed-change.js';

export type Step = 'check' | 'create' | 'clone' | 'restore' | 'start' | 'stop' | 'delete' | 'work';

/** The state of a phone. `after`: the step that has just been done. */
export type Observation = PhoneStatus & { after?: Step };

export type Decision =
  /** Do one step, then decide again. */
  | { step: Step }
  /**
   * Write a change, then decide again; an empty change without `end`: the device is as recorded. `endMs`: the run that the change ends is
   * charged up to then first. `end`: the change ends the job. `begin`: it begins a job of the service's own.
   */
  | { change: DeviceChange; endMs?: number; end?: 'done' | JobFailure; begin?: 'start' };

/** The facts beside the device and its phone. */
export interface Moment {
  nowMs: number;
  /** When this process began to drive the host's phones: one that was lost before ended with the host's last process. */
  begunMs: number;
  /** When the phone was first missed; absent: it was not, or that time is in the device already (`lostAt`). */
  missedMs?: number | undefined;
  /** Why the job cannot be done. */
  failure?: JobFailure | undefined;
}

const AS_RECORDED: Decision = { change: {} };

/**
 * Returns what to do next for a device whose phone was observed as `observed`; undefined: its driver does not respond, only possible with
 * a failure. A pure function, so that it makes no difference whether the same process goes on or another one after a crash.
 *
 * Every change leads to a record that is true: a phone that runs is reachable and charged, one that does not is neither. When a phone was
 * lost is written before anything else: until then no later process knows it.
 */
export function reconcile(device: DeviceDocument, observed: Observation | undefined, at: Moment): Decision {
  const { job, lostAt } = device;
  if (observed?.state === 'running' && lostAt !== undefined) return { change: { lostAt: null } };
  const lostMs = observed === undefined || observed.state === 'running' ? undefined : newlyLostMs(device, at);
  if (lostMs !== undefined) return { change: { lostAt: new Date(lostMs) } };
  if (at.failure !== undefined || observed === undefined) {
    if (at.failure === undefined) throw new Error('a phone that was not observed has no next step');
    return failed(device, at.failure, observed, at);
  }
  if (job?.work !== undefined) return reconcileWork(device, observed, at);
  if (job !== undefined) return reconcileJob(device, observed, at);
  return device.wanted === 'running' ? wantedRunning(device, observed, at) : wantedStopped(device, observed, at);
}

/** A job that changes the power of a phone ends its run (endOfRun), unless the phone was lost before. */
function newlyLostMs({ job, lostAt, startedAt }: DeviceDocument, { missedMs, nowMs }: Moment): number | undefined {
  if (startedAt === undefined || lostAt !== undefined || job?.work !== undefined) return undefined;
  if (job === undefined) return missedMs ?? nowMs;
  // Until a restore is announced the phone is in use.
  const endMs = (job.checkedAt ?? (job.kind === 'restore' ? undefined : job.createdAt))?.getTime() ?? nowMs;
  return missedMs !== undefined && missedMs < endMs ? missedMs : undefined;
}

/**
 * A phone is created only for a device whose phone was never made: one that is absent later has lost its data, and an empty one in its place
 * would hide that.
 */
function reconcileJob(device: DeviceDocument, observed: Observation, at: Moment): Decision {
  const { wanted, job, made, state, startedAt } = device;
  const toRestore = isToBeRestored(device);
  // Before anything is done or announced: a snapshot that cannot be used leaves the device as it is.
  if (job?.checkedAt === undefined && (toRestore || (job?.kind === 'clone' && observed.state === 'absent'))) {
    if (observed.after !== 'check') return { step: 'check' };
    const announced: DeviceChange = toRestore ? { state: 'starting', wanted: 'running' } : {};
    return { change: { ...announced, checkedAt: new Date(at.nowMs) } };
  }
  if (wanted === 'gone') return observed.state === 'absent' ? done(device, observed, at) : { step: 'delete' };
  if (observed.state === 'absent') {
    if (made === true) return failedBy(device, dataLost(device), observed, at);
    // The clone failed: an empty phone in its place would hide that it has nothing of the snapshot.
    if (device.cloned === true && job?.kind !== 'clone') return failedBy(device, neverMade(device), observed, at);
    return { step: job?.kind === 'clone' ? 'clone' : 'create' };
  }
  // A phone that lost some of its files gets them back.
  if (toRestore && observed.after !== 'restore') {
    return { step: observed.state === 'running' || observed.state === 'starting' ? 'stop' : 'restore' };
  }
  switch (observed.state) {
    case 'broken':
      return failedBy(device, { kind: 'broken', message: observed.problem }, observed, at);
    case 'starting':
      return { step: wanted === 'running' ? 'start' : 'stop' };
    case 'running': {
      const over = observed.endpoint.identity === endedIdentity(device);
      return wanted === 'stopped' || over ? { step: 'stop' } : done(device, observed, at);
    }
    case 'stopped': {
      if (wanted !== 'running') return done(device, observed, at);
      const recorded = made === true && state === 'starting' && startedAt === undefined && !toRestore;
      return recorded ? { step: 'start' } : offBeforeStart(device, at, toRestore);
    }
  }
}

/** The phone is made, restored, or off before it is started again. The endpoint of the ended start stays, so that a restart knows it. */
function offBeforeStart(device: DeviceDocument, { nowMs }: Moment, restored: boolean): Decision {
  const { minutes } = endRun(device, nowMs).change;
  const run = { startedAt: null, lostAt: null, ...(minutes !== undefined && { minutes }) };
  return { ...endRun(device, nowMs), change: { ...run, state: 'starting', made: true, ...(restored && { restored }) } };
}

/** Work needs a running phone, except for saving one that is off. One that ended is brought back, or reported, once the job is over. */
function reconcileWork(device: DeviceDocument, observed: Observation, at: Moment): Decision {
  if (observed.after === 'work') return { change: {}, end: 'done' };
  const { name, wanted, job } = device;
  const off = job?.kind === 'snapshot' && wanted === 'stopped' && observed.state === 'stopped';
  if (observed.state === 'running' || off) return { step: 'work' };
  const message =
    `The phone stopped running before the ${job?.kind} was done. ` +
    `Send the request again once GET /v1/devices/${name} shows that it runs.`;
  return failed(device, new JobFailure({ error: 'unavailable', message }), observed, at);
}

function wantedRunning(device: DeviceDocument, observed: Observation, at: Moment): Decision {
  const { startedAt, lostAt, endpoint: known, problem } = device;
  const { nowMs, begunMs } = at;
  const lostMs = lostAt?.getTime() ?? nowMs;
  if (observed.state === 'starting') {
    // A boot that does not end: off, it is brought back or reported.
    const endless = startedAt !== undefined && nowMs - Math.max(lostMs, begunMs) > STEP_MS.start;
    return endless ? { step: 'stop' } : AS_RECORDED;
  }
  if (observed.state === 'running') {
    const { endpoint } = observed;
    const found = foundWell(device);
    if (device.state !== 'running') return { change: { ...running(endpoint, nowMs), ...found } };
    const same = known !== undefined && isSame(known, endpoint);
    // Rebooted, or moved to another port, by itself: the run goes on, connections of the old start do not.
    return { change: same ? found : { endpoint, nextGeneration: true, ...found } };
  }
  const ended = endRun(device, nowMs);
  if (observed.state === 'stopped') {
    const withHost = lostAt !== undefined && lostMs < begunMs;
    const steady = nowMs - (startedAt?.getTime() ?? nowMs) >= STEADY_RUN_MS;
    if (withHost || device.state === 'failed' || steady) {
      return { ...ended, change: { ...ended.change, state: 'starting' }, begin: 'start' };
    }
    const why = observed.reason === undefined ? '' : ` (${observed.reason})`;
    const message = `The phone stopped by itself${why}. Call POST /v1/devices/${device.name}/start to bring it back.`;
    const by = problemSince({ kind: 'stopped_by_itself', message }, nowMs);
    return { ...ended, change: { ...ended.change, state: 'failed', wanted: 'stopped', problem: by } };
  }
  const unusable = problemSince(unusableBy(device, observed), nowMs);
  if (problem?.kind === unusable.kind && device.state === 'failed') return AS_RECORDED;
  // Still wanted: once the storage or the phone is back, it is started again.
  return { ...ended, change: { ...ended.change, state: 'failed', problem: unusable } };
}

function wantedStopped(device: DeviceDocument, observed: Observation, { nowMs }: Moment): Decision {
  if (observed.state === 'running' || observed.state === 'starting') return { step: 'stop' };
  if (observed.state === 'stopped') {
    const found = foundWell(device);
    return { change: found.problem === null ? { state: 'stopped', ...found } : {} };
  }
  if (device.made !== true) {
    // Its host was away when it was to be made, and is back.
    const isOver = observed.state === 'absent' && isCleared(device.problem, 'found');
    return isOver ? { change: { problem: problemSince(neverMade(device), nowMs) } } : AS_RECORDED;
  }
  const problem = problemSince(unusableBy(device, observed), nowMs);
  return device.problem?.kind === problem.kind ? AS_RECORDED : { change: { state: 'failed', problem } };
}

/** The end of a job that was done. */
function done(device: DeviceDocument, observed: Observation, { nowMs }: Moment): Decision {
  const { wanted, problem } = device;
  const ended = endRun(device, nowMs);
  if (wanted === 'gone') return { ...ended, change: { ...ended.change, gone: true }, end: 'done' };
  const cleared = isCleared(problem, wanted === 'running' ? 'started' : 'stopped') ? { problem: null } : {};
  const now = observed.state === 'running' ? running(observed.endpoint, nowMs) : {};
  return { ...ended, change: { ...ended.change, ...now, made: true, ...cleared }, end: 'done' };
}

function failed(device: DeviceDocument, failure: JobFailure, found: Observation | undefined, at: Moment): Decision {
  // Work that failed does not show the state of the device: its phone is compared with the record once the job is over.
  if (device.job?.work !== undefined) return { change: {}, end: failure };
  const lost = found?.state === 'absent' && device.made === true && device.wanted !== 'gone';
  const problem: PhoneProblem = lost
    ? dataLost(device)
    : { kind: failure.problem ?? (device.job?.kind as ProblemKind), message: failure.message };
  const change = failedChange(device, problemSince(problem, at.nowMs), found, at.nowMs);
  const ends = device.startedAt !== undefined && change.startedAt !== undefined;
  return { change, end: failure, ...(ends && { endMs: endOfRun(device, at.nowMs) }) };
}

function failedBy(device: DeviceDocument, problem: PhoneProblem, observed: Observation, at: Moment): Decision {
  const failure = new JobFailure({ error: 'unavailable', message: problem.message }, problem.kind);
  return failed(device, failure, observed, at);
}

function endRun(device: DeviceDocument, nowMs: number): { change: DeviceChange; endMs?: number } {
  const endMs = endOfRun(device, nowMs);
  return { change: stopped(device, endMs), ...(device.startedAt !== undefined && { endMs }) };
}

/** Whether the phone does not hold the content of the job's snapshot yet. From then on the job is that of starting it. */
export function isToBeRestored({ job }: DeviceDocument): boolean {
  return job?.kind === 'restore' && job.restored !== true;
}

/**
 * Returns the start of the phone that a restart is to end: the recorded one, which stays recorded until the next one is. A phone that
 * is found in another start has been restarted.
 */
export function endedIdentity({ job, endpoint }: DeviceDocument): string | undefined {
  return job?.kind === 'restart' ? endpoint?.identity : undefined;
}

/**
 * Returns the state of the phone according to the device's document, which a new job begins with. Undefined when the document does not
 * show it: a create that failed may have made the phone, and a phone that was missed may be off.
 */
export function recordedStatus({ made, endpoint, job, lostAt }: DeviceDocument): PhoneStatus | undefined {
  if (lostAt !== undefined) return undefined;
  if (endpoint !== undefined) return { state: 'running', endpoint };
  if (made === true) return { state: 'stopped' };
  return job?.kind === 'create' || job?.kind === 'clone' ? { state: 'absent' } : undefined;
}

function isSame(known: PhoneEndpoint, found: PhoneEndpoint): boolean {
  const isThere = known.identity === found.identity && known.host === found.host && known.port === found.port;
  return isThere && known.helpers === found.helpers;
}

function foundWell({ problem }: DeviceDocument): { problem?: null } {
  return isCleared(problem, 'found') ? { problem: null } : {};
}

function unusableBy(
  device: DeviceDocument,
  observed: { state: 'absent' } | { state: 'broken'; problem: string },
): PhoneProblem {
  return observed.state === 'absent' ? dataLost(device) : { kind: 'broken', message: observed.problem };
}

function neverMade({ name }: DeviceDocument): PhoneProblem {
  const message = `The phone was not made. Delete the device, DELETE /v1/devices/${name}, and send the request again.`;
  return { kind: 'create', message };
}

function dataLost({ name }: DeviceDocument): PhoneProblem {
  const message =
    `The phone's data is not on its host any more. If the host's storage comes back, so does the phone; ` +
    `else delete the device: DELETE /v1/devices/${name}.`;
  return { kind: 'data_lost', message };
}
