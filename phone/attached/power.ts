import type { Clock } from '../../kit/async/clock.js';
import { within } from '../../kit/async/within.js';
import { PhoneFailure } from '../driver.js';
import { type Booted, type Contact, isBooted, type PhoneContact } from './contact.js';
import type { ListedPhone } from './phones-file.js';

export interface PowerTimes {
  /** Longest time from the request to reboot until the phone goes down. */
  goDownMs: number;
  /** Longest time until the phone's boot is complete. */
  bootMs: number;
}

export const POWER_TIMES: PowerTimes = { goDownMs: 30_000, bootMs: 300_000 };

const COMMAND = { timeoutMs: 10_000, maxBytes: 64 * 1024 };

/** Turns the screen on, and dismisses a keyguard that has no secret. A keyguard with a secret stays until the operator removes it. */
export async function wakeUp(phone: PhoneContact, signal?: AbortSignal): Promise<void> {
  await phone.shell('input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard', { ...COMMAND, doing: 'wake up', signal });
}

export async function goToSleep(phone: PhoneContact, signal?: AbortSignal): Promise<void> {
  await phone.shell('input keyevent KEYCODE_SLEEP', { ...COMMAND, doing: 'turn its screen off', signal });
}

export interface BootWait {
  clock: Clock;
  bootMs: number;
  signal?: AbortSignal | undefined;
}

/** Waits for the phone's boot to be complete. Throws PhoneFailure when it takes too long. */
export async function waitForBoot(phone: PhoneContact, { clock, bootMs, signal }: BootWait): Promise<Booted> {
  return waitUntil(phone, isBooted, { clock, ms: bootMs, signal }, () => {
    const { now } = phone;
    return now.state === 'lost' ? now.problem.message : 'The phone did not finish its boot.';
  });
}

/**
 * Reboots the phone and returns once its next boot is complete. Throws PhoneFailure, before anything is done, where the phone could not be
 * reached afterwards. Also throws it when the phone does not go down or does not come back.
 */
export async function reboot(
  phone: PhoneContact,
  before: Booted,
  options: { listed: ListedPhone; clock: Clock; times: PowerTimes; signal?: AbortSignal | undefined },
): Promise<Booted> {
  const { listed, clock, times, signal } = options;
  if (listed.via.kind === 'tcp' && !before.facts.adbOutlivesReboot) {
    throw new PhoneFailure(
      'The phone cannot be restarted: its ADB over TCP would be off afterwards. The operator can attach it through an adb server, or set persist.adb.tcp.port on it. Stop and start work.',
    );
  }
  await phone.reboot(signal);
  const wentDown = (contact: Contact): contact is Contact =>
    contact.state !== 'reached' || contact.identity !== before.identity;
  await waitUntil(phone, wentDown, { clock, ms: times.goDownMs, signal }, () => 'The phone did not reboot when it was asked to.'); // prettier-ignore
  const cameBack = (contact: Contact): contact is Booted => isBooted(contact) && contact.identity !== before.identity;
  return waitUntil(
    phone,
    cameBack,
    { clock, ms: times.bootMs, signal },
    () => 'The phone did not come back from its reboot.',
  );
}

/** Waits until `holds` is true of the phone's contact. Throws PhoneFailure when the time is up, or the reason of a signal that aborts. */
export function waitUntil<T extends Contact>(
  phone: PhoneContact,
  holds: (contact: Contact) => contact is T,
  { clock, ms, signal }: { clock: Clock; ms: number; signal?: AbortSignal | undefined },
  failure: () => string,
): Promise<T> {
  const limit = { clock, timeoutMs: ms, signals: [signal], onTimeout: () => new PhoneFailure(failure()) };
  return within(limit, (limited) => phone.until(holds, limited));
}
