import type { Clock, Timer } from '../../kit/clock.js';
import { databaseUnavailable } from '../../kit/database-unavailable.js';
import type { Log } from '../../kit/log.js';
import type { PhoneEndpoint, PhoneStatus } from '../../phone/driver.js';
import { withHealthEvents } from '../health/problem-change.js';
import {
  DATABASE_RETRY_MOST_MS,
  JOB_LIMIT_MS,
  MOST_TAKEOVERS,
  PROGRESS_MS,
  RETRY_MOST_MS,
  RETRY_FIRST_MS,
} from '../limits.js';
import { failureOf, JobFailure } from '../jobs/job-failure.js';
import type { WorkDone, Worker, Workers } from '../jobs/worker.js';
import type { Job, JobOutcome } from '../store/device-document.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { JobWork } from '../store/job-work.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import { endOfRun, type SettleRun, stopped } from './device-run.js';
import { doneChange, failedChange, finishedJob, overdue } from './job-result.js';
import type { JobSnapshots } from '../snapshots/job-snapshots.js';
import { endedIdentity, isToBeRestored, nextStep, recordedStatus, type Step } from './next-step.js';
import { inspectPhone, type PrepareExit, takeStep, withLimit } from './take-step.js';

export interface DoJobParts {
  devices: DeviceStore;
  drivers: PhoneDrivers;
  settle: SettleRun;
  /** Ends the hold on the next minute of a phone that has stopped, or did not start. */
  release: (device: DeviceDocument) => Promise<void>;
  /** Ends the reservation of the payment for a new device: it is made. */
  keepPayment: (device: DeviceDocument) => Promise<void>;
  workers: Workers;
  prepareExit: PrepareExit;
  snapshots: JobSnapshots;
  clock: Clock;
  log: Log;
}

/** A job that has ended, with its device as it was before the update that ended it. */
export interface EndedJob {
  device: DeviceDocument;
  job: Job;
  change: DeviceChange;
}

/**
 * Does the job that is at work on the device, to its end: step after step until the phone is as wanted. Only the phone's own final
 * failure, or too much time, fails it. After any other error (the database is away, the driver breaks off) the phone is inspected and
 * the work goes on from the observed state, with growing pauses, for as long as it takes; time in which the database was away does not
 * count. Returns undefined when the device is no longer this process's.
 *
 * A crash between any two lines leaves the job in the device's document; the next process of the host inspects the phone and goes on.
 * A job during which several processes ended is given up: it would probably end the next one too.
 */
export async function doJob(
  parts: DoJobParts,
  given: DeviceDocument,
  options: { fresh: boolean; signal: AbortSignal },
): Promise<EndedJob | undefined> {
  const { devices, clock, log } = parts;
  const { signal } = options;
  const job = given.job as Job;
  const limitMs = JOB_LIMIT_MS[job.kind];
  let deadlineMs = clock.monotonicMs() + limitMs;
  let device = given;
  let observed = options.fresh ? recordedStatus(given) : undefined;
  let failure = (job.takeovers ?? 0) > MOST_TAKEOVERS ? givenUp(job) : undefined;
  let lastError: unknown;
  for (let retries = 0; ; retries++) {
    const beganMs = clock.monotonicMs();
    try {
      if (retries > 0) {
        const read = await devices.findById(device._id);
        if (read?.job?.id !== job.id || read.fence !== device.fence) return endedBefore(read, job);
        device = read;
      }
      if (failure === undefined && clock.monotonicMs() > deadlineMs) failure = overdue(job.kind, limitMs, lastError);
      if (failure === undefined) {
        const done = await workOn(parts, device, observed, { signal, deadlineMs });
        if (done === undefined) return undefined;
        const { result } = done;
        const outcome = { state: 'done' as const, finishedAt: new Date(clock.now()) };
        return await end(parts, done.device, done.change, { ...outcome, ...(result !== undefined && { result }) });
      }
      return await fail(parts, device, failure, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      observed = undefined;
      const final = failure === undefined ? failureOf(error) : undefined;
      if (final !== undefined) {
        failure = final;
        continue;
      }
      log.warn({ job: job.id, device: device.name, err: error }, 'a job is tried again');
      const isAway = databaseUnavailable(error) !== undefined;
      const pause = pauseMs(retries, isAway ? DATABASE_RETRY_MOST_MS : RETRY_MOST_MS);
      if (isAway) deadlineMs += clock.monotonicMs() - beganMs + pause;
      else {
        lastError = error;
        await devices.noteJob(device, { retries: retries + 1, lastError: String(error) }).catch(() => undefined);
      }
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }
}

/** Takes steps until there are none left. Returns the device's change at the end of the job; undefined when the job is no longer ours. */
async function workOn(
  parts: DoJobParts,
  given: DeviceDocument,
  known: PhoneStatus | undefined,
  { signal, deadlineMs }: { signal: AbortSignal; deadlineMs: number },
): Promise<{ device: DeviceDocument; change: DeviceChange; result?: JobOutcome['result'] } | undefined> {
  const { devices, settle, release, keepPayment, clock, prepareExit } = parts;
  let device = given;
  const driver = parts.drivers.of(device);
  const stepParts = { driver, clock, prepareExit };
  let observed = known ?? (await inspectPhone(stepParts, device._id, signal));
  if (device.job?.kind === 'create' || device.job?.kind === 'clone') await keepPayment(device);
  // Before anything is done to the phone: a snapshot that cannot be used leaves it as it is.
  if (isToBeRestored(device) || (device.job?.kind === 'clone' && observed.state === 'absent')) {
    await parts.snapshots.assertWhole(device, driver, signal);
  }
  for (;;) {
    const step = nextStep(device, observed);
    if (step.do === 'fail') {
      throw new JobFailure({ error: 'unavailable', message: step.problem.message }, step.problem.kind);
    }
    if (step.do === 'work') {
      const { change = {}, result } = await work(parts, device, step.endpoint, { signal, deadlineMs });
      return { device, change, result };
    }
    // The run that the job ends is charged before its end is written; a crash in between charges it again, with the same end.
    if (device.startedAt !== undefined) {
      await settle(device, endOfRun(device, clock.now()));
      if (device.wanted !== 'running') await release(device);
    }
    if (step.do === 'finish') {
      const result = await parts.snapshots.finish(device, step.endpoint, signal);
      return { device, change: doneChange(device, observed, clock.now()), result };
    }
    const progress = progressWriter(parts, device);
    try {
      observed = await takeStep(stepParts, step.do, device, {
        signal,
        onProgress: progress.write,
        mostMs: deadlineMs - clock.monotonicMs(),
      });
    } finally {
      progress.stop();
    }
    if (step.do === 'start' && observed.state === 'running' && observed.endpoint.identity === endedIdentity(device)) {
      // Tried again after a pause, until the job's limit.
      throw new Error('the driver started the phone without ending the start that a restart is to end');
    }
    const change = between(device, step.do, observed, clock.now());
    if (change === undefined) continue;
    const changed = await devices.change(device, change);
    if (changed === undefined) return undefined;
    device = changed;
  }
}

/** Runs the job's worker, within the job's time limit; a late result is ignored. */
async function work(
  parts: DoJobParts,
  device: DeviceDocument,
  endpoint: PhoneEndpoint | undefined,
  { signal, deadlineMs }: { signal: AbortSignal; deadlineMs: number },
): Promise<WorkDone> {
  const { work: asked } = device.job as Job & { work: JobWork };
  const { clock, drivers, workers } = parts;
  const worker = workers[asked.kind] as Worker;
  const progress = progressWriter(parts, device);
  try {
    return await withLimit(clock, deadlineMs - clock.monotonicMs(), signal, (limited) =>
      worker({
        work: asked,
        device,
        // Undefined where the worker does not use it, see nextStep.
        endpoint: endpoint as PhoneEndpoint,
        driver: drivers.of(device),
        signal: limited,
        onProgress: progress.write,
      }),
    );
  } finally {
    progress.stop();
  }
}

/** Returns the change that is recorded in the middle of a job: that the phone is made, restored, or off before it is started again. */
function between(
  device: DeviceDocument,
  did: Step['do'],
  observed: PhoneStatus,
  nowMs: number,
): DeviceChange | undefined {
  if (device.wanted !== 'running' || observed.state !== 'stopped') return undefined;
  // The endpoint of the ended start stays, so that a restart knows it; no caller gets it while the device is not running.
  const { minutes } = stopped(device, endOfRun(device, nowMs));
  const restored = did === 'restore' ? { restored: true as const } : {};
  return { state: 'starting', startedAt: null, made: true, ...restored, ...(minutes !== undefined && { minutes }) };
}

async function fail(
  parts: DoJobParts,
  device: DeviceDocument,
  failure: JobFailure,
  signal: AbortSignal,
): Promise<EndedJob | undefined> {
  const { clock, log, settle, release } = parts;
  log.warn({ job: device.job?.id, device: device.name, err: failure }, 'job failed');
  const outcome = { state: 'failed' as const, finishedAt: new Date(clock.now()), error: failure.error };
  // Work that failed does not show the state of the device: its phone is compared with the record once the job is over (host-loop.ts).
  if (device.job?.work !== undefined) {
    await parts.snapshots.workFailed(device, signal);
    return end(parts, device, {}, outcome);
  }
  // The phone's present state decides the device's; a driver that does not respond must not hold that up.
  const found = await inspectPhone({ driver: parts.drivers.of(device), clock }, device._id, signal).catch(
    () => undefined,
  );
  const change = failedChange(device, failure, found, clock.now());
  if (change.state !== 'running') {
    if (device.startedAt !== undefined) await settle(device, endOfRun(device, clock.now()));
    await release(device);
  }
  return end(parts, device, change, outcome);
}

async function end(
  { devices, clock }: DoJobParts,
  device: DeviceDocument,
  change: DeviceChange,
  outcome: NonNullable<Job['outcome']>,
): Promise<EndedJob | undefined> {
  const job = finishedJob(device.job as Job, outcome);
  const whole = withHealthEvents(device, change, clock.now());
  return (await devices.finish(device, job, whole)) ? { device, job, change: whole } : undefined;
}

/** The update that ended the job may have been done although its reply was lost. */
function endedBefore(read: DeviceDocument | null, job: Job): EndedJob | undefined {
  const finished = read?.finished?.find(({ id }) => id === job.id);
  return read === null || finished === undefined ? undefined : { device: read, job: finished, change: {} };
}

function givenUp({ takeovers }: Job): JobFailure {
  return new JobFailure({
    error: 'internal',
    message: `The service ended ${takeovers} times while it was at work on this job, so the job was given up. Give the operator its id.`,
  });
}

function pauseMs(retries: number, mostMs: number): number {
  return Math.min(RETRY_FIRST_MS * 2 ** retries, mostMs);
}

/**
 * Writes a job's progress at a bounded rate. A write that fails is made up for by the next one. Jobs that the service began
 * itself have no caller that follows them, and after a crash there is one for every phone, so their progress is not written.
 */
function progressWriter({ devices, clock, log }: DoJobParts, device: DeviceDocument) {
  const job = device.job as Job;
  let timer: Timer | undefined;
  return {
    write: (percent: number): void => {
      const rounded = Math.min(Math.round(percent), 99);
      if (rounded <= job.progress || job.requestedBy === undefined) return;
      job.progress = rounded;
      timer ??= clock.after(PROGRESS_MS, () => {
        timer = undefined;
        devices
          .noteJob(device, { progress: job.progress })
          .catch((error: unknown) => log.debug({ job: job.id, err: error }, 'could not write progress'));
      });
    },
    stop: (): void => timer?.cancel(),
  };
}
