import type { GymPhone } from './gym-phone.js';

type Wanted = readonly [namespace: 'system' | 'secure' | 'global', key: string, value: string];

/** Returns how a setting differs from a value. Undefined: it has the value; numbers are compared as numbers. */
export async function settingLacks(phone: GymPhone, ...[namespace, key, value]: Wanted): Promise<string | undefined> {
  const found = await phone.setting(namespace, key);
  return Number(found) === Number(value) ? undefined : `${namespace} ${key} is ${found}, not ${value}`;
}

export async function settingsLack(phone: GymPhone, wanted: readonly Wanted[]): Promise<string | undefined> {
  for (const one of wanted) {
    const lacking = await settingLacks(phone, ...one);
    if (lacking !== undefined) return lacking;
  }
  return undefined;
}
