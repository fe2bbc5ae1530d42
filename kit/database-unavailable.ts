import { ApiError } from './errors.js';

/** MongoDB's code OutOfDiskSpace. */
const OUT_OF_DISK_SPACE = 14_031;

/** The driver's errors of a server that is not reached; the last has no Mongo before it. */
const AWAY =
  /^(Mongo(Network(Timeout)?|ServerSelection|(Server|Topology|Pool)Closed|NotConnected|PoolCleared)|PoolClearedOnNetwork)Error$/;

/** The driver's label for a server that is changing its primary, or is closing. */
const CHANGING = 'RetryableWriteError';

/**
 * What to tell a caller whose request failed with `error` because the database cannot be used just now; undefined for any other
 * error. It knows the driver's errors by name: services without a database do not load the driver for it.
 */
export function databaseUnavailable(error: unknown): ApiError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, errorLabels, errorResponse } = error as {
    code?: unknown;
    errorLabels?: string[];
    errorResponse?: unknown;
  };
  // A write of several documents that did not get through says so by an error of its own, around the one that it was.
  const away = AWAY.test(error.name) || (errorResponse instanceof Error && AWAY.test(errorResponse.name));
  if (!away && !error.name.startsWith('Mongo')) return undefined;
  if (away || errorLabels?.includes(CHANGING) === true) {
    return new ApiError('unavailable', 'The database cannot be reached just now. Try again.', {
      retryAfterS: 5,
      cause: error,
    });
  }
  if (code !== OUT_OF_DISK_SPACE) return undefined;
  return new ApiError('unavailable', 'There is no room to keep anything new. The operator has to make some.', {
    retryAfterS: 60,
    cause: error,
  });
}
