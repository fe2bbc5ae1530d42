import { ApiError } from '../../kit/errors/api-error.js';
import { phoneUnavailable } from '../../phone/link/phone-errors.js';

/** The errors of Linux that callers can do something about, by number, and as the phone's programs print them. */
const REASONS = [
  { number: 1, text: 'Operation not permitted', kind: 'bad_request' },
  { number: 2, text: 'No such file or directory', kind: 'not_found' },
  { number: 13, text: 'Permission denied', kind: 'bad_request' },
  { number: 20, text: 'Not a directory', kind: 'bad_request' },
  { number: 21, text: 'Is a directory', kind: 'bad_request' },
  { number: 22, text: 'Invalid argument', kind: 'bad_request' },
  { number: 27, text: 'File too large', kind: 'too_large' },
  { number: 28, text: 'No space left on device', kind: 'too_large' },
  { number: 30, text: 'Read-only file system', kind: 'bad_request' },
  { number: 36, text: 'File name too long', kind: 'bad_request' },
  { number: 39, text: 'Directory not empty', kind: 'bad_request' },
  { number: 40, text: 'Too many symbolic links encountered', kind: 'bad_request' },
  { number: 122, text: 'Quota exceeded', kind: 'too_large' },
] as const;

/**
 * Returns the error for a refusal by a phone. `reason` is the number of a Linux error, or what a program printed. The caller gets a text of
 * the service's own, as a phone may print anything. `doing` completes "the phone could not …".
 */
export function fileRefusal(reason: number | string, path: string, doing: string): ApiError {
  const known = REASONS.find(({ number, text }) =>
    typeof reason === 'number' ? number === reason : reason.includes(text),
  );
  if (known === undefined)
    return phoneUnavailable(`The phone could not ${doing}, and gave no reason that is known.`, reason);
  const { kind, text } = known;
  if (kind === 'not_found') return noSuchFile(path);
  const hint = HINTS[text] ?? '';
  return new ApiError(kind, `The phone could not ${doing}: ${path}: ${text}.${hint}`);
}

export function noSuchFile(path: string): ApiError {
  return new ApiError('not_found', `There is no ${path} on the phone. GET …/files?path= lists a directory.`);
}

const HINTS: Record<string, string> = {
  'No space left on device': ' Delete something first.',
  'Directory not empty': ' Delete what is in it first.',
  'Permission denied': ' The shell user of the phone may not do that.',
};
