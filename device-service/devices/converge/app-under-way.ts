import type { JobApp } from '../../store/job-work.js';
import type { DeviceDocument } from '../../store/devices.js';
import { JobFailure } from '../jobs/job-failure.js';

/**
 * Returns the app that is the next to be installed on a new phone. Undefined when all are installed, or when the phone is not recorded as
 * running: then the job is still at work on the phone itself.
 */
export function appUnderWay({ job, state, startedAt }: DeviceDocument): JobApp | undefined {
  if (state !== 'running' || startedAt === undefined) return undefined;
  return job?.apps?.[job.appsInstalled ?? 0];
}

/** Returns the failure of a job whose phone runs without one of its apps. */
export function notInstalled({ app }: JobApp, failure: JobFailure): JobFailure {
  const { error, message } = failure.error;
  const whole = `The phone runs, but the app "${app}" was not installed: ${message}`;
  return new JobFailure({ error, message: whole }, failure.problem, { cause: failure });
}
