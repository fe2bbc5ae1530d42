import { PhoneFailure } from '../driver.js';
import { HELPER_PACKAGES } from '../helper-packages.js';
import type { PhoneLink } from '../link/phone-link.js';
import type { PhoneFacts } from './phone-upgrades.js';

/** Most packages of a phone that is upgraded. The job of the device has their names. */
export const MAX_PACKAGES = 1_000;

/** Separates the parts of the output. No line of a part is equal to it. */
const MARK = '--- cloudphone ---';
const COMMAND = [
  'getprop ro.build.version.release',
  `echo '${MARK}'`,
  'pm list packages -3 && echo listed',
  `echo '${MARK}'`,
  'ls -1A /sdcard/ && echo listed',
].join('; ');

/** A phone that has just booted is slow. */
const LIMITS = { timeoutMs: 60_000, maxBytes: 1024 * 1024 };

/** Reads the facts of a phone that runs. Throws PhoneFailure where the phone has too many apps; other errors where it does not respond. */
export async function readFacts(link: PhoneLink, signal?: AbortSignal): Promise<PhoneFacts> {
  const { stdout } = await link.shell(COMMAND, { ...LIMITS, doing: 'list its apps and files', signal });
  return factsIn(stdout.toString('utf8'));
}

/** Parses the output of the command. Throws where a part of it is missing: a phone that lists nothing is not a phone without apps. */
export function factsIn(output: string): PhoneFacts {
  const [android = '', packages, files] = output.split(`${MARK}\n`);
  const listed = linesOf(packages, 'its apps');
  if (listed.length > MAX_PACKAGES)
    throw new PhoneFailure(`The phone has more than ${MAX_PACKAGES} apps, which is more than an upgrade compares.`);
  return {
    android: android.trim().slice(0, 40),
    packages: listed
      .map((line) => line.replace(/^package:/, ''))
      .filter((name) => !HELPER_PACKAGES.has(name))
      .sort(),
    entries: linesOf(files, 'its files').sort(),
  };
}

function linesOf(part: string | undefined, what: string): string[] {
  const lines = (part ?? '').split('\n').map((line) => line.replace(/\r$/, ''));
  const end = lines.lastIndexOf('listed');
  if (end === -1) throw new Error(`the phone did not list ${what}`);
  return lines.slice(0, end).filter((line) => line !== '');
}
