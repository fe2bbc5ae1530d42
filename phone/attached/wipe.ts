import { type Booted, type PhoneContact } from './contact.js';
import { CleaningFailure } from './cleaning.js';
import type { PhoneFacts } from './phone-facts.js';
import type { ListedPhone } from './phones-file.js';

/** A file that is written before a wipe. A phone that was wiped does not have it any more. */
const MARKER = '/data/local/tmp/.wipe-ordered';

/** The first Android version with test harness mode. */
const FIRST_ANDROID = 10;

/**
 * Returns why a phone cannot be wiped through ADB, or undefined when it can. The platform's way for the shell user is test harness mode
 * (Android 10). It wipes everything, keeps the trusted ADB keys and comes back without a setup wizard. The shell user may not send the
 * broadcasts of a factory reset. A wipe turns ADB over TCP off, so a phone that is attached over TCP would not come back.
 */
export function whyNotWiped(listed: ListedPhone, facts: PhoneFacts): string | undefined {
  if (parseInt(facts.android, 10) < FIRST_ANDROID) {
    return `clean: factory needs Android ${FIRST_ANDROID}, and the phone has ${facts.android}`;
  }
  if (listed.via.kind === 'tcp' && !facts.emulator) {
    return 'clean: factory turns ADB over TCP off; attach the phone through an adb server, over USB';
  }
  return undefined;
}

/** Whether the phone was wiped since its start `wipedIn`. */
export async function isWiped(
  phone: PhoneContact,
  now: Booted,
  wipedIn: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if (now.identity === wipedIn) return false;
  const options = { timeoutMs: 10_000, maxBytes: 1_000, doing: 'check for a file', signal };
  const { stdout } = await phone.shell(`test -e ${MARKER} && echo there || echo gone`, options);
  return stdout.toString().trim() === 'gone';
}

/** Orders the wipe; the phone goes down soon after. Throws CleaningFailure with the phone's reason when it refuses. */
export async function orderWipe(phone: PhoneContact, signal?: AbortSignal): Promise<void> {
  const options = { timeoutMs: 60_000, maxBytes: 64 * 1024, signal };
  const marked = await phone.shell(`echo wipe > ${MARKER}`, { ...options, doing: 'write a file' });
  if ((marked.exitCode ?? 0) !== 0) throw new CleaningFailure('the phone does not let a file be written');
  const { exitCode, stdout, stderr } = await phone.shell('cmd testharness enable', {
    ...options,
    doing: 'wipe itself',
  });
  const text = `${stdout.toString()}${stderr.toString()}`.trim();
  // On success the command prints nothing, and the connection often ends before the exit status comes.
  if ((exitCode ?? 0) !== 0 || text !== '') {
    throw new CleaningFailure(`the phone refused to be wiped: ${text.slice(0, 200)} (a screen lock must be off)`);
  }
}
