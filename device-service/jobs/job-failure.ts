import { ApiError } from '../../kit/errors.js';
import { PhoneFailure } from '../../phone/driver.js';
import type { ProblemKind } from '../health/problem-kinds.js';
import type { Job, JobOutcome } from '../store/device-document.js';

/** Why a job failed, for its customer. `problem` is the kind of the device's problem; absent: the kind of the job. */
export class JobFailure extends Error {
  override name = 'JobFailure';
  constructor(
    readonly error: NonNullable<JobOutcome['error']>,
    readonly problem?: ProblemKind,
    options?: ErrorOptions,
  ) {
    super(error.message, options);
  }
}

/** Returns the failure that `error` means for the job; undefined: none, the work is tried again. */
export function failureOf(error: unknown): JobFailure | undefined {
  if (error instanceof JobFailure) return error;
  if (error instanceof PhoneFailure) {
    return new JobFailure({ error: 'unavailable', message: error.message }, undefined, { cause: error });
  }
  return undefined;
}

/** The job's time is up; `last` is the error that it was tried again after. */
export function overdue(kind: string, limitMs: number, last: unknown): JobFailure {
  const why = last instanceof ApiError ? ` ${last.message}` : '';
  const message = `The ${kind} did not end within ${limitMs / 1000} s.${why} Try again; if it persists, give the operator the id of this job.`;
  return new JobFailure({ error: 'timeout', message });
}

/** Several processes ended while they were at work on the job, so it would probably end the next one too. */
export function givenUp({ takeovers }: Pick<Job, 'takeovers'>): JobFailure {
  return new JobFailure({
    error: 'internal',
    message: `The service ended ${takeovers} times while it was at work on this job, so the job was given up. Give the operator its id.`,
  });
}
