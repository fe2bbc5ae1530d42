import { ApiError } from '../../../kit/errors/api-error.js';
import { isDiskFull } from '../../../phone/files/no-room.js';

/** Runs work that writes files of an app to this host's disk. Throws unavailable when there is no room for them. */
export async function withRoom<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    const message =
      "There is no room for this app on the phone's host just now. Delete snapshots or devices, or try again later.";
    throw new ApiError('unavailable', message, { cause: error });
  }
}
