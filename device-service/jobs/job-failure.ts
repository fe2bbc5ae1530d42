import { PhoneFailure } from '../../phone/driver.js';
import type { JobOutcome } from '../store/device-document.js';

/** Why a job failed, for its customer. `problem` is the kind of the device's problem; absent: the kind of the job. */
export class JobFailure extends Error {
  override name = 'JobFailure';
  constructor(
    readonly error: NonNullable<JobOutcome['error']>,
    readonly problem?: string,
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
