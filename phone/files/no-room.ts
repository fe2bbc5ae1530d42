import { ApiError } from '../../kit/errors/api-error.js';
import { CopyFailure } from './copy-tree.js';

/** The disk of a phone's host has no room for the operation. It is final for a job: another try would fail in the same way. */
export class NoRoom extends ApiError {
  constructor(cause?: unknown) {
    const message = "There is no room left on the phone's host. Delete snapshots or devices, or try again later.";
    super('unavailable', message, { cause });
  }
}

/** Returns whether an operation on files failed because a disk, or the quota of its user, was full. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof CopyFailure) return error.noRoom;
  return FULL.has((error as NodeJS.ErrnoException).code ?? '');
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);
