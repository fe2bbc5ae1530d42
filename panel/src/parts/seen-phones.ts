import { someNames } from './phone-count.ts';

/** Which phones a key or a member sees, as the API has it: names, `*` for all, or those with a label. */
export type SeenPhones = readonly string[] | { label: string };

/** What an object of the API has about it. An older service has the label in a field of its own. */
interface Seeing {
  devices: SeenPhones;
  devices_label?: string;
}

const EVERY_PHONE = '*';

/** All phones, future ones too. */
export const ALL_PHONES: SeenPhones = [EVERY_PHONE];

/** Returns which phones a key or a member sees. */
export function seenPhonesOf({ devices, devices_label: label }: Seeing): SeenPhones {
  return label === undefined ? devices : { label };
}

/** Returns whether all phones are seen. */
export function isAll(seen: SeenPhones): boolean {
  return Array.isArray(seen) && seen.includes(EVERY_PHONE);
}

/** Returns which phones are seen, in words: "all", "a, b and c", "label team=qa". */
export function seenWords(seen: SeenPhones): string {
  if ('label' in seen) return `label ${seen.label}`;
  if (isAll(seen)) return 'all';
  return seen.length === 0 ? 'none' : someNames(seen);
}

/** Returns whether the choice is complete: at least one phone, or a label with a value. */
export function isComplete(seen: SeenPhones): boolean {
  return 'label' in seen ? /^[^=]+=.+$/.test(seen.label) : seen.length > 0;
}

/** Returns whether two choices are the same. */
export function isSame(one: SeenPhones, other: SeenPhones): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the choice as bodies of the API have it. */
export function devicesField(seen: SeenPhones): string[] {
  // The generated types have a list alone until each client knows labels.
  return ('label' in seen ? seen : [...seen]) as string[];
}
