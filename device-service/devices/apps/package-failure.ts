import { JobFailure } from '../jobs/job-failure.js';

/** Characters of a phone's own error text that are passed on. */
const MAX_SHOWN_CHARS = 500;

/** Returns the error text in the output of a phone's package manager: `Failure [CODE: text]`, or else the first line of the output. */
export function failureIn(output: string): string {
  const own = /^(?:Failure|Error|Exception).*/m.exec(output)?.[0];
  const words = (own ?? output.trim().split('\n')[0] ?? '').replaceAll(/\p{Cc}+/gu, ' ').trim();
  return words === '' ? 'its package manager printed nothing' : words.slice(0, MAX_SHOWN_CHARS);
}

/** Matches codes that are about the phone and not about the app. */
const OF_THE_PHONE = /INSUFFICIENT_STORAGE|MEDIA_UNAVAILABLE|INTERNAL_ERROR|ABORTED/;

/** Returns the failure for the phone's own final response to an install. The app is at fault, unless the code means that the phone is. */
export function installRefused(packageName: string, output: string): JobFailure {
  const words = failureIn(output);
  const message = `The phone did not install ${packageName}: ${words}`;
  return new JobFailure({ error: OF_THE_PHONE.test(words) ? 'unavailable' : 'bad_request', message });
}
