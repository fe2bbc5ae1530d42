import { PhoneFailure, type PhoneSpec } from '../driver.js';
import { phoneUnavailable } from '../link/phone-errors.js';
import { CleaningFailure, findContent } from './cleaning.js';
import type { Booted, PhoneContact } from './contact.js';
import type { ListedPhone } from './phones-file.js';
import { type BootWait, waitForBoot } from './power.js';
import type { Found, SlotRecord, TakenPhone } from './slot-records.js';
import { whyNotWiped } from './wipe.js';

export const ANOTHER_PHONE =
  'Another phone is connected in the place of this one. The operator of the service must connect the right one again.';

/** Throws PhoneFailure when the phone is not the one that a device has taken. */
export function refuseAnother({ facts }: Booted, { hardware }: TakenPhone): void {
  if (facts.hardware !== hardware) throw new PhoneFailure(ANOTHER_PHONE);
}

/**
 * Returns the phone once it has booted. Throws PhoneFailure for a problem that lasts until a person acts, and unavailable for one that may
 * pass.
 */
export async function bootedPhone(phone: PhoneContact, options: BootWait): Promise<Booted> {
  const contact = await phone.check(options.signal);
  if (contact.state !== 'lost') return waitForBoot(phone, options);
  const { problem } = contact;
  if (problem.lasting) throw new PhoneFailure(problem.message, { cause: problem });
  throw phoneUnavailable(problem.message, problem);
}

/** Throws PhoneFailure while a device has the phone, or it is being cleaned. */
export function refuseUnlessFree({ taken, cleaning }: SlotRecord): void {
  if (taken) throw new PhoneFailure('The phone that was chosen is in use by another device. Create the device again.');
  if (cleaning) throw new PhoneFailure('The phone that was chosen is still being cleaned. Create the device again.');
}

/**
 * Checks that a phone is of the model and version that a device was promised, and can be cleaned afterwards. Returns its content, where
 * cleaning needs that. Throws PhoneFailure when it is another phone, CleaningFailure when it could not be cleaned.
 */
export async function checkForDevice(
  phone: PhoneContact,
  { facts }: Booted,
  { listed, spec, signal }: { listed: ListedPhone; spec: PhoneSpec; signal: AbortSignal | undefined },
): Promise<Found | undefined> {
  if (listed.model !== spec.model || facts.android !== spec.android) {
    const has = `The phone that was chosen is a ${listed.model} with Android ${facts.android}`;
    throw new PhoneFailure(`${has}, not a ${spec.model} with Android ${spec.android}. Create the device again.`);
  }
  const unwipeable = listed.clean === 'factory' ? whyNotWiped(listed, facts) : undefined;
  if (unwipeable !== undefined) throw new CleaningFailure(unwipeable);
  return listed.clean === 'uninstall' ? findContent(phone, signal) : undefined;
}
