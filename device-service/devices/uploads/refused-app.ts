import { ApiError } from '../../../kit/errors/api-error.js';
import { ApkError } from '../../../phone/apk/apk-error.js';

/** Reads an uploaded app. Throws bad_request, with the fault, for a file that is none. */
export async function refusingFaults<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApkError)) throw error;
    throw new ApiError('bad_request', `The file is not an app that can be installed. ${error.code}: ${error.message}`);
  }
}
