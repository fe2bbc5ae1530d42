import { databaseUnavailable } from '../../kit/database-unavailable.js';
import type { PhoneStatus } from '../../phone/driver.js';
import { problemSince, withDeviceEvents } from '../health/problems.js';
import { failureOf, givenUp, type JobFailure, overdue } from '../jobs/job-failure.js';
import {
  DATABASE_RETRY_MOST_MS,
  JOB_LIMIT_MS,
  LATE_RETRY_MOST_MS,
  MOST_REFUSED_ENDS,
  MOST_TAKEOVERS,
  RETRY_FIRST_MS,
  RETRY_MOST_MS,
} from '../limits.js';
import type { Job } from '../store/device-document.js';
import type { DeviceDocument } from '../store/devices.js';
import { converge, type ConvergeParts, type EndedJob, type Facts } from './converge.js';
import { recordedStatus } from './reconcile.js';
import { inspectPhone } from './take-step.js';

export interface DoJobParts extends ConvergeParts {
  /** Ends the reservation of the payment for a new device: it is made. */
  keepPayment: (device: DeviceDocument) => Promise<void>;
}

/**
 * Does the job that is at work on the device, to its end. Only the phone's own final failure, or too much time, fails it. After any other
 * error (the database is away, the driver breaks off) the phone is inspected and the work goes on from the observed state, with growing
 * pauses, for as long as it takes; time in which the database was away does not count. Returns undefined when the device is no longer
 * this process's. With `fresh` the phone is taken to be as recorded.
 *
 * A crash between any two lines leaves the job in the device's document; the next process of the host inspects the phone and goes on.
 * A job during which several processes ended is given up: it would probably end the next one too.
 */
export async function doJob(
  parts: DoJobParts,
  given: DeviceDocument,
  { fresh, signal, ...facts }: Omit<Facts, 'failure'> & { fresh: boolean; signal: AbortSignal },
): Promise<EndedJob | undefined> {
  const { devices, drivers, missed, clock, log, keepPayment } = parts;
  const job = given.job as Job;
  const limitMs = JOB_LIMIT_MS[job.kind];
  let deadlineMs = clock.monotonicMs() + limitMs;
  let device = given;
  let observed = fresh ? recordedStatus(given) : undefined;
  let failure: JobFailure | undefined = (job.takeovers ?? 0) > MOST_TAKEOVERS ? givenUp(job) : undefined;
  let lastError: unknown;
  /** How often the end of the job was refused since it failed. */
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
      if (clock.monotonicMs() > deadlineMs) failure ??= overdue(job.kind, limitMs, lastError);
      if (failure !== undefined) log.warn({ job: job.id, device: device.name, err: failure }, 'job failed');
      else if (job.kind === 'create' || job.kind === 'clone') await keepPayment(device);
      const inspect = async (): Promise<PhoneStatus> => {
        const status = await inspectPhone({ driver: drivers.of(device), clock }, device._id, signal);
        if (status.state === 'running') missed.delete(device._id);
        return status;
      };
      // A job that failed ends by the phone's present state; a driver that does not respond must not hold that up.
      observed = failure === undefined ? (observed ?? (await inspect())) : await inspect().catch(() => undefined);
      return (await converge(parts, device, observed, { ...facts, failure }, { signal, deadlineMs }))?.ended;
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
      let pause = Math.min(RETRY_FIRST_MS * 2 ** retries, isAway ? DATABASE_RETRY_MOST_MS : RETRY_MOST_MS);
      // Accounts have a bound of their own, after which the end is written without them.
      if (failure !== undefined && !isAway && !parts.bookkeepingFailures.has(device._id)) {
        pause = Math.min(RETRY_FIRST_MS * 2 ** refusedEnds++, LATE_RETRY_MOST_MS);
        if (refusedEnds >= MOST_REFUSED_ENDS) await reportRefusedEnd(parts, device, error);
      }
      if (isAway) deadlineMs += clock.monotonicMs() - beganMs + pause;
      else {
        lastError = error;
        await devices.noteJob(device, { retries: retries + 1, lastError: String(error) }).catch(() => undefined);
      }
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }
}

/**
 * The job has failed, and neither its end nor the phone's accounts can be written, for good. The job keeps its device; its end is tried
 * every 10 minutes, and the device has a problem until then, where the database takes that.
 */
async function reportRefusedEnd(
  { devices, clock, log, onDeviceEvents }: DoJobParts,
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

/** The update that ended the job may have been done although its reply was lost. */
function endedBefore(read: DeviceDocument | null, job: Job): EndedJob | undefined {
  const finished = read?.finished?.find(({ id }) => id === job.id);
  return read === null || finished === undefined ? undefined : { device: read, job: finished, change: {} };
}
