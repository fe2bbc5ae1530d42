import { posix } from 'node:path';
import { ApiError } from '../../kit/errors.js';

/** The directories whose files can be reached. Other paths are for programs with adb. */
const ROOTS = ['/sdcard', '/data/local/tmp'] as const;

/** Longest path of the sync protocol, bytes. */
export const PATH_MAX_BYTES = 1_024;

const SHOWN_CHARACTERS = 100;

/**
 * A path of a caller's with `.`, `..` and repeated slashes resolved by its text alone. Throws bad_request when it is not in one of the
 * directories that can be reached.
 *
 * What links on the phone lead to is not checked: the phone follows them with the rights of its shell user, which the caller has by adb
 * as well.
 */
export function devicePath(given: string): string {
  const refuse = (reason: string): ApiError =>
    new ApiError('bad_request', `path: ${JSON.stringify(given.slice(0, SHOWN_CHARACTERS))} ${reason}`);
  if (Buffer.byteLength(given) > PATH_MAX_BYTES) throw refuse(`has more than the ${PATH_MAX_BYTES} bytes allowed.`);
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

/** The same for a path that is to be written or deleted. Throws bad_request for the directories themselves. */
export function changeablePath(given: string): string {
  const resolved = devicePath(given);
  if (ROOTS.some((root) => resolved === root))
    throw new ApiError('bad_request', `path: ${resolved} itself cannot be written or deleted, only what is in it.`);
  return resolved;
}

const ALLOWED = `Give a path such as ${ROOTS[0]}/Download/photo.jpg; it begins with ${ROOTS.join(' or ')}.`;
