import type { PhoneStatus } from '../../../phone/driver.js';
import { isCleared, type PhoneProblem, problemSince } from '../../record/problems.js';
import { JobFailure } from '../jobs/job-failure.js';
import { STEADY_RUN_MS, STEP_MS } from '../limits.js';
import type { DeviceChange } from '../../store/device-change.js';
import type { Job } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { running } from '../../record/device-run.js';
import {
  dataLost,
  type Decision,
  done,
  endRun,
  failed,
  failedBy,
  type Moment,
  neverMade,
  type Observation,
} from './decision.js';
import { isSame, reconcileApps } from './reconcile-apps.js';
import { reconcileMove } from './reconcile-move.js';
import { reconcileUpgrade } from './reconcile-upgrade.js';

const AS_RECORDED: Decision = { change: {} };

/**
 * Returns what to do next for a device whose phone was observed as `observed`. `observed` is undefined when the driver does not respond,
 * which is only possible with a failure. The function is pure, so it makes no difference whether the same process goes on, or another one
 * after a crash.
 *
 * Every change leads to a true record: a phone that runs is reachable and charged, and any other phone is neither. The time at which a
 * phone was lost is written before anything else, as no later process would know it.
 */
export function reconcile(device: DeviceDocument, observed: Observation | undefined, at: Moment): Decision {
  const { job, lostAt } = device;
  if (observed?.state === 'running' && lostAt !== undefined) return { change: { lostAt: null } };
  const lostMs = observed === undefined || observed.state === 'running' ? undefined : newlyLostMs(device, at);
  if (lostMs !== undefined) return { change: { lostAt: new Date(lostMs) } };
  if (at.failure !== undefined || observed === undefined) {
    if (at.failure === undefined) throw new Error('a phone that was not observed has no next step');
    // The copy of a phone that was given to this host is put in place even then: once the job is over, it would be removed.
    if (job?.move?.arrived === true && observed?.after === undefined && observed?.state !== 'running')
      return { step: 'arrive' };
    return failed(device, at.failure, observed, at);
  }
  if (job?.work !== undefined) return reconcileWork(device, observed, at);
  if (job?.move !== undefined) return reconcileMove(device, job.move, observed, at);
  if (job?.upgrade !== undefined) return reconcileUpgrade(device, job.upgrade, observed, at);
  if (job !== undefined) return reconcileJob(device, observed, at);
  return device.wanted === 'running' ? wantedRunning(device, observed, at) : wantedStopped(device, observed, at);
}

/**
 * Returns the time to write for a newly lost phone. When a job changes the power of a phone, that job ends the run (endOfRun), unless the
 * phone was lost before.
 */
function newlyLostMs({ job, lostAt, startedAt }: DeviceDocument, { missedMs, nowMs }: Moment): number | undefined {
  if (startedAt === undefined || lostAt !== undefined || job?.work !== undefined) return undefined;
  // The run of a phone that gets its apps began with the job.
  if (job === undefined || job.apps !== undefined) return missedMs ?? nowMs;
  // Until a restore or an upgrade is announced, the phone is in use.
  const isLater = job.kind === 'restore' || job.kind === 'upgrade';
  const endMs = (job.checkedAt ?? (isLater ? undefined : job.createdAt))?.getTime() ?? nowMs;
  return missedMs !== undefined && missedMs < endMs ? missedMs : undefined;
}

/**
 * Returns the next decision for a device with a job. A phone is created only for a device whose phone was never made. A phone that is
 * absent later has lost its data, and an empty one in its place would hide that.
 */
function reconcileJob(device: DeviceDocument, observed: Observation, at: Moment): Decision {
  const { wanted, job, made, state, startedAt } = device;
  const toRestore = isToBeRestored(device);
  // The check comes before anything is done or announced, so that an unusable snapshot leaves the device as it is.
  if (job?.checkedAt === undefined && (toRestore || (isOfCopy(job) && observed.state === 'absent'))) {
    if (observed.after !== 'check') return { step: 'check' };
    const announced: DeviceChange = toRestore ? { state: 'starting', wanted: 'running' } : {};
    return { change: { ...announced, checkedAt: new Date(at.nowMs) } };
  }
  if (wanted === 'gone') return observed.state === 'absent' ? done(device, observed, at) : { step: 'delete' };
  if (observed.state === 'absent') {
    if (made === true) return failedBy(device, dataLost(device), observed, at);
    // The job that was to make it failed. An empty phone in its place would hide that it has nothing of the snapshot.
    if (device.cloned === true && !isOfCopy(job)) return failedBy(device, neverMade(device), observed, at);
    return { step: isOfCopy(job) ? 'clone' : 'create' };
  }
  // This also restores a phone that lost some of its files.
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
      if (wanted === 'stopped' || over) return { step: 'stop' };
      return job?.apps === undefined
        ? done(device, observed, at)
        : reconcileApps(device, job, observed.endpoint, observed, at);
    }
    case 'stopped': {
      if (wanted !== 'running') return done(device, observed, at);
      const recorded = made === true && state === 'starting' && startedAt === undefined && !toRestore;
      return recorded ? { step: 'start' } : offBeforeStart(device, at, toRestore);
    }
  }
}

/**
 * Records that the phone is made, restored, or off before it is started again. The endpoint of the ended start stays, so that a restart
 * knows it.
 */
function offBeforeStart(device: DeviceDocument, { nowMs }: Moment, restored: boolean): Decision {
  const { minutes } = endRun(device, nowMs).change;
  const run = { startedAt: null, lostAt: null, ...(minutes !== undefined && { minutes }) };
  return { ...endRun(device, nowMs), change: { ...run, state: 'starting', made: true, ...(restored && { restored }) } };
}

/** Returns whether the job makes a phone from a snapshot or a template. */
function isOfCopy(job: Job | undefined): boolean {
  return job?.kind === 'clone' || (job?.kind === 'create' && job.template !== undefined);
}

/**
 * Returns the next decision for work. Work needs a running phone, except a snapshot of a phone that is off, and a template. A phone that ended is brought
 * back, or reported, once the job is over.
 */
function reconcileWork(device: DeviceDocument, observed: Observation, at: Moment): Decision {
  if (observed.after === 'work') return { change: {}, end: 'done' };
  const { name, wanted, job } = device;
  const off = job?.kind === 'snapshot' && wanted === 'stopped' && observed.state === 'stopped';
  if (observed.state === 'running' || off || job?.kind === 'template') return { step: 'work' };
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
    // The boot does not end. Once the phone is off, it is brought back or reported.
    const endless = startedAt !== undefined && nowMs - Math.max(lostMs, begunMs) > STEP_MS.start;
    return endless ? { step: 'stop' } : AS_RECORDED;
  }
  if (observed.state === 'running') {
    const { endpoint } = observed;
    const found = foundWell(device);
    if (device.state !== 'running') return { change: { ...running(endpoint, nowMs), ...found } };
    const same = known !== undefined && isSame(known, endpoint);
    // The phone was rebooted, or moved to another port, by itself. The run goes on, but connections of the old start do not.
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
  // The phone is still wanted. Once the storage or the phone is back, it is started again.
  return { ...ended, change: { ...ended.change, state: 'failed', problem: unusable } };
}

function wantedStopped(device: DeviceDocument, observed: Observation, { nowMs }: Moment): Decision {
  if (observed.state === 'running' || observed.state === 'starting') return { step: 'stop' };
  if (observed.state === 'stopped') {
    const found = foundWell(device);
    return { change: found.problem === null ? { state: 'stopped', ...found } : {} };
  }
  if (device.made !== true) {
    // The host was away when the phone was to be made, and is back.
    const isOver = observed.state === 'absent' && isCleared(device.problem, 'found');
    return isOver ? { change: { problem: problemSince(neverMade(device), nowMs) } } : AS_RECORDED;
  }
  const problem = problemSince(unusableBy(device, observed), nowMs);
  return device.problem?.kind === problem.kind ? AS_RECORDED : { change: { state: 'failed', problem } };
}

/** Returns whether the phone does not hold the content of the job's snapshot yet. Once it does, the job is to start the phone. */
export function isToBeRestored({ job }: DeviceDocument): boolean {
  return job?.kind === 'restore' && job.restored !== true;
}

/**
 * Returns the identity of the start that a restart is to end. It is the recorded one, which stays recorded until the next start is. A
 * phone that is found in another start has been restarted.
 */
export function endedIdentity({ job, endpoint }: DeviceDocument): string | undefined {
  return job?.kind === 'restart' ? endpoint?.identity : undefined;
}

/**
 * Returns the state of the phone according to the device's document, with which a new job begins. Undefined when the document does not
 * show it: a failed create may have made the phone, and a missed phone may be off.
 */
export function recordedStatus({ made, endpoint, job, lostAt }: DeviceDocument): PhoneStatus | undefined {
  if (lostAt !== undefined) return undefined;
  if (endpoint !== undefined) return { state: 'running', endpoint };
  if (made === true) return { state: 'stopped' };
  return job?.kind === 'create' || job?.kind === 'clone' ? { state: 'absent' } : undefined;
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
