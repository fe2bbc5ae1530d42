import { createHash } from 'node:crypto';
import type { PhoneIdentity } from './system.js';

type Known = Pick<PhoneIdentity, 'phoneId'>;

/** Sixteen hex digits, the same at each boot, and of no other phone. */
export function serialOf(phone: Known): string {
  return digest(phone.phoneId).slice(0, 16).toUpperCase();
}

/** The id by which apps know the phone (`settings get secure android_id`), unless it was set to something else. */
export function androidIdOf(phone: Known): string {
  return digest(`${phone.phoneId} android_id`).slice(0, 16);
}

/** Of its wireless network: locally administered, so of no manufacturer. */
export function macOf(phone: Known): string {
  return ['02', ...(digest(`${phone.phoneId} mac`).match(/../g) ?? []).slice(0, 5)].join(':');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
