import { ApiError } from '../../../kit/errors/api-error.js';
import { PhoneFailure } from '../../../phone/driver.js';
import { NoRoom } from '../../../phone/files/no-room.js';
import type { ProblemKind } from '../../store/problem-kinds.js';
import type { Job, JobOutcome } from '../../store/device-document.js';

/** The reason why a job failed, for its customer. `problem` is the kind of problem that the device gets; absent: the job's kind. */
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

/** Returns the failure that `error` means for the job; undefined when the work is tried again. */
export function failureOf(error: unknown): JobFailure | undefined {
  if (error instanceof JobFailure) return error;
  if (error instanceof PhoneFailure || error instanceof NoRoom) {
    return new JobFailure({ error: 'unavailable', message: error.message }, undefined, { cause: error });
  }
  return undefined;
}

/** Returns the failure of a job whose time is over; `last` is the error after which it was last tried again. */
export function overdue(kind: string, limitMs: number, last: unknown): JobFailure {
  const why = last instanceof ApiError ? ` ${last.message}` : '';
  const message = `The ${kind} did not end within ${limitMs / 1000} s.${why} Try again; if it persists, give the operator the id of this job.`;
  return new JobFailure({ error: 'timeout', message });
}

/** Returns the failure of a job during which several processes ended. The job would probably end the next process too. */
export function givenUp({ takeovers }: Pick<Job, 'takeovers'>): JobFailure {
  return new JobFailure({
    error: 'internal',
    message: `The service ended ${takeovers} times while it was at work on this job, so the job was given up. Give the operator its id.`,
  });
}
