import type { Clock } from '../../../kit/async/clock.js';
import type { PhoneEndpoint } from '../../../phone/driver.js';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { isOneColour } from '../../../phone/screen/pixels.js';
import { parseRawScreencap } from '../../../phone/screen/raw-screencap.js';
import { parseSecureWindow } from '../../../phone/screen/windows.js';
import { JobFailure } from '../jobs/job-failure.js';
import { CHECK_TIMEOUT_MS, SEE_BACK_AGAIN_MS, SEE_BACK_MS } from '../limits.js';
import type { OpenLink } from '../phones/open-link.js';
import type { PhoneIdentity } from '../../store/device-document.js';

/**
 * Returns once a phone that was started from a snapshot is verified to be back, with its identity. Throws JobFailure when the phone is not
 * back in time. Throws another error when the phone does not respond; the caller then inspects the phone.
 */
export type SeeBack = (endpoint: PhoneEndpoint, signal: AbortSignal) => Promise<PhoneIdentity>;

const COMMAND = [
  'echo "boot $(getprop sys.boot_completed)"',
  'echo "serial $(getprop ro.serialno)"',
  'echo "android_id $(settings get secure android_id)"',
  'echo "mac $(cat /sys/class/net/wlan0/address)"',
].join('; ');

/** The size of a picture of 4096 x 4096 pixels, with its header. */
const MAX_PICTURE_BYTES = 64 * 1024 * 1024 + 16;

/** Verifies through ADB, as all other services reach the phone, that it has booted and shows a picture. */
export function seeBackThroughAdb(openLink: OpenLink, clock: Clock): SeeBack {
  return async (endpoint, signal) => {
    const deadlineMs = clock.monotonicMs() + SEE_BACK_MS;
    const link = await openLink(endpoint);
    try {
      for (;;) {
        const output = await run(link, COMMAND, 'report that it is back', signal);
        const about = (subject: string): string => new RegExp(`^${subject} (.*)$`, 'm').exec(output)?.[1]?.trim() ?? '';
        const booted = about('boot') === '1';
        if (booted && !(await isBlank(link, signal))) {
          return { serial: about('serial'), androidId: about('android_id'), mac: about('mac') };
        }
        if (clock.monotonicMs() > deadlineMs) {
          const why = booted ? 'its screen stays blank' : 'it does not finish booting';
          const message = `The phone holds the content of the snapshot, but ${why}. Restart the device, or restore another snapshot.`;
          throw new JobFailure({ error: 'unavailable', message });
        }
        await clock.sleep(SEE_BACK_AGAIN_MS, signal);
      }
    } finally {
      link.close();
    }
  };
}

/** Returns whether all pixels have one colour. A screen of an app that forbids pictures of itself is not blank. */
async function isBlank(link: PhoneLink, signal: AbortSignal): Promise<boolean> {
  const doing = 'take a screenshot';
  const raw = await link.exec('screencap 2>/dev/null', {
    timeoutMs: CHECK_TIMEOUT_MS * 2,
    maxBytes: MAX_PICTURE_BYTES,
    signal,
    doing,
  });
  if (!isBlankPicture(raw)) return false;
  const windows = await run(link, 'dumpsys window displays; dumpsys window windows', 'describe its windows', signal);
  return parseSecureWindow(windows) !== true;
}

/** Returns whether a picture is blank. An output that is no picture counts as blank. */
export function isBlankPicture(raw: Buffer): boolean {
  const pixels = parseRawScreencap(raw);
  return pixels === undefined || isOneColour(pixels);
}

async function run(link: PhoneLink, command: string, doing: string, signal: AbortSignal): Promise<string> {
  const { stdout } = await link.shell(command, {
    timeoutMs: CHECK_TIMEOUT_MS,
    maxBytes: 4 * 1024 * 1024,
    signal,
    doing,
  });
  return stdout.toString('utf8');
}
