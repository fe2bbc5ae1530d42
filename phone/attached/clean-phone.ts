import type { Clock } from '../../kit/async/clock.js';
import { CleaningFailure, removeNewContent } from './cleaning.js';
import { type Booted, type Contact, isBooted, type PhoneContact } from './contact.js';
import { type PowerTimes, waitForBoot, waitUntil } from './power.js';
import type { Cleaning } from './slot-records.js';
import { isWiped, orderWipe } from './wipe.js';

export interface CleanOptions {
  clock: Clock;
  times: PowerTimes;
  signal: AbortSignal;
  /** Notes durably that a wipe is ordered in the start `wipedIn` of the phone. */
  noteWipe: (wipedIn: string) => void;
}

/**
 * Cleans a phone in the way that was agreed when it was taken. May be repeated. Throws when the phone is not clean afterwards; the message
 * is for the operator.
 */
export async function cleanPhone(phone: PhoneContact, cleaning: Cleaning, options: CleanOptions): Promise<void> {
  const { signal } = options;
  const now = await reachedFor(phone, cleaning, options);
  if (cleaning.clean === 'uninstall') {
    // Without the noted content, everything on the phone would count as new, and be removed.
    if (cleaning.found === undefined) throw new CleaningFailure('its earlier content was not noted');
    await removeNewContent(phone, cleaning.found, signal);
  } else if (cleaning.clean === 'factory') {
    await wipe(phone, now, cleaning, options);
  }
}

async function wipe(phone: PhoneContact, now: Booted, cleaning: Cleaning, options: CleanOptions): Promise<void> {
  const { signal, clock, times } = options;
  if (cleaning.wipedIn !== undefined && (await isWiped(phone, now, cleaning.wipedIn, signal))) return;
  options.noteWipe(now.identity);
  await orderWipe(phone, signal);
  const cameBack = (contact: Contact): contact is Booted => isBooted(contact) && contact.identity !== now.identity;
  const limit = { clock, ms: times.bootMs, signal };
  const after = await waitUntil(phone, cameBack, limit, () => 'the phone did not come back from its wipe');
  if (!(await isWiped(phone, after, now.identity, signal)))
    throw new CleaningFailure('it came back without being wiped');
}

/**
 * Waits until the phone that was taken has booted. Throws CleaningFailure when another phone is in its place, and leaves that one alone.
 */
async function reachedFor(phone: PhoneContact, { hardware }: Cleaning, options: CleanOptions): Promise<Booted> {
  const { clock, times, signal } = options;
  const contact = await phone.check(signal);
  if (contact.state === 'lost') throw contact.problem;
  const booted = await waitForBoot(phone, { clock, bootMs: times.bootMs, signal });
  if (booted.facts.hardware !== hardware) throw new CleaningFailure('another phone is connected in its place');
  return booted;
}
