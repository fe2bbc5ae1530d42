import { posix } from 'node:path';
import { ApiError } from '../../kit/errors/api-error.js';

/** The directories whose files can be reached. Other paths are for programs with adb. */
const ROOTS = ['/sdcard', '/data/local/tmp'] as const;

/** Longest path of the sync protocol, bytes. */
export const MAX_PATH_BYTES = 1_024;

const SHOWN_CHARACTERS = 100;

/**
 * Returns a caller's path with `.`, `..` and repeated slashes resolved by its text alone. Throws bad_request when it is not in one of the
 * directories that can be reached.
 *
 * The targets of links on the phone are not checked. The phone follows links with the rights of its shell user. The caller has the same
 * rights with adb.
 */
export function devicePath(given: string): string {
  const refuse = (reason: string): ApiError =>
    new ApiError('bad_request', `path: ${JSON.stringify(given.slice(0, SHOWN_CHARACTERS))} ${reason}`);
  if (Buffer.byteLength(given) > MAX_PATH_BYTES) throw refuse(`has more than the ${MAX_PATH_BYTES} bytes allowed.`);
  if (given.includes('\0')) throw refuse('has a NUL character, which no path has.');
  if (!given.startsWith('/')) throw refuse(`is not absolute. ${ALLOWED}`);
  const resolved = posix
    .normalize(given)
    .replace(/^\/+/, '/')
    .replace(/(?<=.)\/+$/, '');
  if (!ROOTS.some((root) => resolved === root || resolved.startsWith(`${root}/`)))
    throw refuse(`is outside of the directories whose files can be reached. ${ALLOWED}`);
  return resolved;
}

/** Resolves a path that is to be written or deleted, as devicePath does. Throws bad_request also for the directories themselves. */
export function changeablePath(given: string): string {
  const resolved = devicePath(given);
  if (ROOTS.some((root) => resolved === root))
    throw new ApiError('bad_request', `path: ${resolved} itself cannot be written or deleted, only what is in it.`);
  return resolved;
}

const ALLOWED = `Give a path such as ${ROOTS[0]}/Download/photo.jpg; it begins with ${ROOTS.join(' or ')}.`;
