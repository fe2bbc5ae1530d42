import { CloudPhoneError } from '../client/src/index.js';

/** Returns the HTTP status of a refusal. Any other error is thrown. */
export function statusOf(error: unknown): number {
  if (error instanceof CloudPhoneError) return error.status;
  throw error;
}
