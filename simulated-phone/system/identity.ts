import { createHash } from 'node:crypto';
import type { PhoneIdentity } from './system.js';

type Known = Pick<PhoneIdentity, 'phoneId'>;

/** Returns the serial number: sixteen hex digits, the same at each boot, which no other phone has. */
export function serialOf(phone: Known): string {
  return digest(phone.phoneId).slice(0, 16).toUpperCase();
}

/** Returns the id by which apps know the phone (`settings get secure android_id`), unless it was set to another value. */
export function androidIdOf(phone: Known): string {
  return digest(`${phone.phoneId} android_id`).slice(0, 16);
}

/** Returns the MAC address of the phone's Wi-Fi. It is a locally administered address, so it belongs to no manufacturer. */
export function macOf(phone: Known): string {
  return ['02', ...(digest(`${phone.phoneId} mac`).match(/../g) ?? []).slice(0, 5)].join(':');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
