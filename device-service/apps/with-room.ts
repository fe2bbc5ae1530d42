import { ApiError } from '../../kit/errors.js';

/** Runs work that writes files of an app to this host's disk. Throws unavailable when there is no room for them. */
export async function withRoom<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!FULL.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    const message =
      "There is no room for this app on the phone's host just now. Delete snapshots or devices, or try again later.";
    throw new ApiError('unavailable', message, { cause: error });
  }
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);
