import { databaseUnavailable } from '../../../kit/errors/database-unavailable.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { PhoneFailure, type PhoneStatus } from '../../../phone/driver.js';
import { problemSince, withDeviceEvents } from '../../record/problems.js';
import type { EndedJob } from '../../record/ended-job.js';
import { failureOf, givenUp, JobFailure, overdue } from '../jobs/job-failure.js';
import { MAX_DATABASE_RETRY_MS } from '../../record/limits.js';
import {
  JOB_LIMIT_MS,
  MAX_LATE_RETRY_MS,
  MAX_REFUSED_ENDS,
  MAX_TAKEOVERS,
  MAX_UPGRADE_TRIES,
  RETRY_FIRST_MS,
  MAX_RETRY_MS,
} from '../limits.js';
import type { Job, JobUpgrade, UpgradeStepWord } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { canTurnBack, turnedBack } from '../upgrades/turn-back.js';
import { converge, type Facts } from './converge.js';
import type { Limits } from './perform.js';
import { recordedStatus } from './reconcile.js';
import { inspectPhone } from './take-step.js';
import type { ConvergeContext } from './converge-context.js';

/**
 * Does the device's present job to its end. Only the phone's own final failure, or the time limit, fails the job. After any
 * other error (the database is away, the driver breaks off) the phone is inspected. The work then goes on from the observed state, with
 * growing pauses, until the job's time limit. Time in which the database was away does not count.
 *
 * Returns undefined when this process no longer drives the device. With `fresh`, the phone is assumed to be as recorded.
 *
 * A crash anywhere leaves the job in the device's document; the next process of the host inspects the phone and goes on. A job during
 * which several processes ended is given up, as it would probably end the next one too.
 */
export async function doJob(
  context: ConvergeContext,
  given: DeviceDocument,
  { fresh, signal, ...facts }: Omit<Facts, 'failure'> & { fresh: boolean; signal: AbortSignal },
): Promise<EndedJob | undefined> {
  const { devices, drivers, missed, clock, log, keepPayment } = context;
  const job = given.job as Job;
  // A phone of a template takes as long as a clone.
  const limitMs =
    JOB_LIMIT_MS[job.template === undefined ? job.kind : 'clone'] + (job.apps?.length ?? 0) * JOB_LIMIT_MS.install;
  const limits: Limits = { signal, deadlineMs: clock.monotonicMs() + limitMs };
  let device = given;
  let observed = fresh ? recordedStatus(given) : undefined;
  const isGivenUp = (job.takeovers ?? 0) > MAX_TAKEOVERS;
  let failure: JobFailure | undefined = isGivenUp && job.move === undefined ? givenUp(job) : undefined;
  let lastError: unknown;
  /** How often the present step of an upgrade failed in a row. */
  const tries = { step: job.upgrade?.step, failed: 0 };
  /** How often the end of the job was refused since the job failed. */
  let refusedEnds = 0;
  for (let retries = 0; ; retries++) {
    const beganMs = clock.monotonicMs();
    try {
      if (retries > 0) {
        const read = await devices.findById(device._id);
        if (read?.job?.id !== job.id || read.fence !== device.fence || read.hostId !== device.hostId)
          return endedBefore(read, job);
        device = read;
      }
      if (isGivenUp && device.job?.move?.arrived !== true && device.job?.move?.refused === undefined) {
        // A phone that ran is started again where it is, before the job fails.
        if (device.job?.move !== undefined) device = await refuseMove(context, device, givenUp(job));
      }
      if (clock.monotonicMs() > limits.deadlineMs) failure ??= overdue(job.kind, limitMs, lastError);
      const { upgrade } = device.job ?? {};
      if (upgrade?.step !== tries.step) Object.assign(tries, { step: upgrade?.step, failed: 0 });
      else if (tries.failed >= MAX_UPGRADE_TRIES) failure ??= tooOften(tries, lastError);
      if (failure !== undefined && upgrade !== undefined && !isFinal(failure, upgrade)) {
        // The phone of an upgrade goes back, or goes on where it does so already, before the job fails. It gets the time of a job for that.
        const turned = turnedBack(upgrade, failure.error);
        if (turned !== undefined) {
          log.warn({ job: job.id, device: device.name, step: upgrade.step, err: failure }, 'an upgrade failed');
          const changed = await devices.change(device, { upgrade: turned });
          if (changed === undefined) return undefined;
          device = changed;
        }
        failure = undefined;
        observed = undefined;
        limits.deadlineMs = clock.monotonicMs() + limitMs;
      }
      if (failure !== undefined) log.warn({ job: job.id, device: device.name, err: failure }, 'job failed');
      else if (job.kind === 'create' || job.kind === 'clone') await keepPayment(device);
      const inspect = async (): Promise<PhoneStatus> => {
        const status = await inspectPhone({ driver: drivers.of(device), clock }, device._id, signal);
        if (status.state === 'running') missed.delete(device._id);
        return status;
      };
      // The present state of the phone decides how a failed job ends. A driver that does not respond must not delay the end.
      observed = failure === undefined ? (observed ?? (await inspect())) : await inspect().catch(() => undefined);
      return (await converge(context, device, observed, { ...facts, failure }, limits))?.ended;
    } catch (error) {
      if (signal.aborted) return undefined;
      observed = undefined;
      const isAway = databaseUnavailable(error) !== undefined;
      const final = failure === undefined ? failureOf(error) : undefined;
      if (final !== undefined) {
        failure = final;
        continue;
      }
      log.warn({ job: job.id, device: device.name, err: error }, 'a job is tried again');
      let pause = Math.min(RETRY_FIRST_MS * 2 ** retries, isAway ? MAX_DATABASE_RETRY_MS : MAX_RETRY_MS);
      // Failures of bookkeeping have a bound of their own, after which the end is written without the bookkeeping.
      if (failure !== undefined && !isAway && !context.bookkeepingFailures.has(device._id)) {
        pause = Math.min(RETRY_FIRST_MS * 2 ** refusedEnds++, MAX_LATE_RETRY_MS);
        if (refusedEnds >= MAX_REFUSED_ENDS) await reportRefusedEnd(context, device, error);
      }
      if (isAway) limits.deadlineMs += clock.monotonicMs() - beganMs + pause;
      else {
        lastError = error;
        tries.failed++;
        await devices.noteJob(device, { retries: retries + 1, lastError: String(error) }).catch(() => undefined);
      }
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }
}

/**
 * Whether an upgrade ends with the failure at once. It does where its phone cannot be put back, or cannot be started again after that. Time
 * alone never ends the way back.
 */
function isFinal({ cause }: JobFailure, { step }: JobUpgrade): boolean {
  return step === 'end' || ((step === 'back' || step === 'drop') && cause instanceof PhoneFailure);
}

/** Returns the failure of a step of an upgrade that has failed again and again; undefined where the phone cannot go back. */
function tooOften({ step, failed }: { step: UpgradeStepWord | undefined; failed: number }, last: unknown) {
  if (step === undefined || !canTurnBack(step)) return undefined;
  const why = last instanceof ApiError ? ` ${last.message}` : '';
  const message = `the step "${step}" failed ${failed} times.${why} The log of the host has the reasons.`;
  return new JobFailure({ error: 'unavailable', message }, undefined, { cause: last });
}

async function refuseMove({ devices }: ConvergeContext, device: DeviceDocument, { error }: JobFailure) {
  return (await devices.change(device, { moveRefused: error })) ?? device;
}

/**
 * Reports a failed job whose end cannot be written, although the database responds. The job keeps its device, and its end is tried every
 * 10 minutes. Until then the device has a problem, if the database accepts that.
 */
async function reportRefusedEnd(
  { devices, clock, log, onDeviceEvents }: ConvergeContext,
  device: DeviceDocument,
  cause: unknown,
): Promise<void> {
  log.error({ job: device.job?.id, device: device.name, err: cause }, 'the end of a failed job cannot be written');
  if (device.problem?.kind === 'job_end') return;
  const problem = problemSince({ kind: 'job_end', message: REFUSED_END }, clock.now());
  try {
    const changed = await devices.change(device, withDeviceEvents(device, { problem }, clock.now()));
    if (changed !== undefined) onDeviceEvents();
  } catch (error) {
    log.error({ device: device.name, err: error }, 'the problem of a device cannot be written');
  }
}

const REFUSED_END =
  'The last job of the device has failed, and the service cannot write its end: the device takes no other job until then. ' +
  'It is tried again every 10 minutes; the operator finds the reason in the log.';

/** Returns the end of the job if it is already written: the update may have been done although its reply was lost. */
function endedBefore(read: DeviceDocument | null, job: Job): EndedJob | undefined {
  const finished = read?.finished?.find(({ id }) => id === job.id);
  return read === null || finished === undefined ? undefined : { device: read, job: finished, change: {} };
}
