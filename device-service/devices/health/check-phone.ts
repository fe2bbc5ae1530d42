import { connect } from 'node:net';
import type { Clock } from '../../../kit/async/clock.js';
import type { PhoneEndpoint } from '../../../phone/driver.js';
import type { DeviceExit } from '../../store/device-exit.js';
import { PhoneLink } from '../../../phone/link/phone-link.js';
import { CHECK_TIMEOUT_MS, STORAGE_FULL_PERCENT } from '../limits.js';
import { WrongPhone } from '../../../phone/link/identity.js';
import type { CheckExit } from './check-exit.js';
import type { Finding } from '../../record/problems.js';

export type CheckPhone = (phone: {
  phoneId: string;
  endpoint: Pick<PhoneEndpoint, 'host' | 'port'> & { identity?: string };
  exit: DeviceExit;
}) => Promise<Finding>;

/** One command for all checks; each line of its output begins with its subject. */
const COMMAND = [
  'echo "boot $(getprop sys.boot_completed)"',
  'echo "storage $(df /data | tail -n 1)"',
  'echo "screen $(dumpsys window displays | grep -c cur=)"',
].join('; ');

/**
 * Checks a running phone through ADB, as all other services reach it. The phone must respond, have booted, and have free storage and a
 * display. Its exit must work.
 */
export function checkThroughAdb(clock: Clock, checkExit: CheckExit): CheckPhone {
  return async ({ phoneId, endpoint, exit }) => {
    const open = { ...endpoint, clock, connectSocket: (to: string, at: number) => connect({ host: to, port: at }) };
    const options = { timeoutMs: CHECK_TIMEOUT_MS, maxBytes: 64 * 1024, doing: 'respond to a health check' };
    let output: string;
    try {
      const link = await PhoneLink.open({ ...open, timeoutMs: CHECK_TIMEOUT_MS });
      try {
        output = (await link.shell(COMMAND, options)).stdout.toString('utf8');
      } finally {
        link.close();
      }
    } catch (error) {
      if (error instanceof WrongPhone) {
        return { kind: 'identity', message: "Another phone has this phone's address. Restart the device." };
      }
      // The check only reports that the phone does not respond. A request that fails for the same reason reports the reason.
      return { kind: 'adb', message: 'The phone does not respond to ADB. Restart it.' };
    }
    return findingIn(output) ?? checkExit(phoneId, exit);
  };
}

/** Returns the first fault in the output of the checks. */
export function findingIn(output: string): Finding {
  const about = (subject: string): string => new RegExp(`^${subject} (.*)$`, 'm').exec(output)?.[1] ?? '';
  if (about('boot').trim() !== '1') return { kind: 'boot', message: 'The phone has not finished booting. Restart it.' };
  const used = Number(/(\d+)%/.exec(about('storage'))?.[1] ?? 0);
  if (used >= STORAGE_FULL_PERCENT) {
    return { kind: 'storage', message: `The phone's storage is ${used} % full. Delete files or uninstall apps.` };
  }
  if (about('screen').trim() === '0') return { kind: 'screen', message: 'The phone has no display. Restart it.' };
  return undefined;
}
