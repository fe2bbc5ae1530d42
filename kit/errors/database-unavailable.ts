import { ApiError } from './api-error.js';

/** MongoDB's code OutOfDiskSpace. */
export const OUT_OF_DISK_SPACE = 14_031;

/** Names of the driver's errors for a server that was not reached, or not in time. Only the last name does not begin with Mongo. */
const AWAY =
  /^(Mongo(Network(Timeout)?|ServerSelection|(Server|Topology|Pool)Closed|NotConnected|PoolCleared|WaitQueueTimeout|OperationTimeout)|PoolClearedOnNetwork)Error$/;

/**
 * MongoDB's codes of a server that is changing its primary, is closing, or cannot reach a majority. Their names, in order:
 * - HostUnreachable, HostNotFound, MaxTimeMSExpired, WriteConcernFailed, NetworkTimeout, ShutdownInProgress;
 * - UnsatisfiableWriteConcern, ReadConcernMajorityNotAvailableYet, PrimarySteppedDown, ExceededTimeLimit, SocketException;
 * - LegacyNotPrimary, NotWritablePrimary, InterruptedAtShutdown, InterruptedDueToReplStateChange;
 * - NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary.
 */
const CHANGING_CODES = new Set<unknown>([
  6, 7, 50, 64, 89, 91, 100, 134, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436,
]);

/** The driver's label for a server that is changing its primary, or is closing. */
const CHANGING = 'RetryableWriteError';

/**
 * Returns the caller's error for a request that failed with `error` because the database is unavailable; undefined for any other
 * error. It compares the names of the driver's errors, so that services without a database need not load the driver.
 */
export function databaseUnavailable(error: unknown): ApiError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (brokeUnderWrite(error)) return away(error);
  const { code, errorLabels, errorResponse } = error as {
    code?: unknown;
    errorLabels?: string[];
    errorResponse?: unknown;
  };
  // The driver wraps the error of a write of several documents in another error, which has the first one as its response.
  const isAway = AWAY.test(error.name) || (errorResponse instanceof Error && AWAY.test(errorResponse.name));
  if (!isAway && !error.name.startsWith('Mongo')) return undefined;
  if (isAway || CHANGING_CODES.has(code) || errorLabels?.includes(CHANGING) === true) return away(error);
  if (code !== OUT_OF_DISK_SPACE) return undefined;
  return new ApiError('unavailable', 'There is no room to keep anything new. The operator has to make some.', {
    retryAfterS: 60,
    cause: error,
  });
}

function away(cause: Error): ApiError {
  return new ApiError('unavailable', 'The database cannot be reached just now. Try again.', { retryAfterS: 5, cause });
}

/** The driver lets the socket's own error through when a connection breaks in the moment of a write. */
function brokeUnderWrite({ code, syscall }: NodeJS.ErrnoException): boolean {
  return syscall === 'write' && (code === 'ECONNRESET' || code === 'EPIPE');
}
