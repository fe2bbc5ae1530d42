import { useSearchParams } from 'wouter';
import type { Device } from '../../api/client.ts';
import { labelTexts } from '../../parts/labels.tsx';

/** The filters and the form of the list of phones. They are in the address, so that they can be sent to a colleague. */
export interface PhoneFilters {
  /** A part of a name, model, label or country. */
  search: string;
  /** A state of a phone, or `problem`. Empty: any. */
  state: string;
  /** `key:value`. Empty: any. */
  label: string;
  sort: PhoneSort;
  as: 'cards' | 'table';
}

export type PhoneSort = 'name' | 'newest' | 'state' | 'minutes';

export const SORTS: readonly { value: PhoneSort; label: string }[] = [
  { value: 'name', label: 'By name' },
  { value: 'newest', label: 'Newest first' },
  { value: 'state', label: 'By state' },
  { value: 'minutes', label: 'Most minutes today' },
];

/** The value of `state` for phones that need attention. */
export const WITH_PROBLEM = 'problem';

const DEFAULTS: PhoneFilters = { search: '', state: '', label: '', sort: 'name', as: 'cards' };

/** Returns the filters in the address, and the function that changes some of them there. */
export function usePhoneFilters(): [PhoneFilters, (change: Partial<PhoneFilters>) => void] {
  const [params, setParams] = useSearchParams();
  const filters: PhoneFilters = {
    search: params.get('search') ?? '',
    state: params.get('state') ?? '',
    label: params.get('label') ?? '',
    sort: SORTS.find(({ value }) => value === params.get('sort'))?.value ?? DEFAULTS.sort,
    as: params.get('as') === 'table' ? 'table' : DEFAULTS.as,
  };
  const change = (changed: Partial<PhoneFilters>): void => {
    const isSet = (entry: [string, string]): boolean => entry[1] !== DEFAULTS[entry[0] as keyof PhoneFilters];
    setParams(Object.entries({ ...filters, ...changed }).filter(isSet), { replace: true });
  };
  return [filters, change];
}

/** Returns the phones that pass the filters, in the order that `sort` names. */
export function filtered(devices: readonly Device[], { search, state, label, sort }: PhoneFilters): Device[] {
  const wanted = search.trim().toLowerCase();
  const isShown = (device: Device): boolean =>
    (wanted === '' || wordsOf(device).some((word) => word.toLowerCase().includes(wanted))) &&
    (state === '' || (state === WITH_PROBLEM ? device.problem !== undefined : device.state === state)) &&
    (label === '' || labelTexts(device.labels).includes(label));
  return devices.filter(isShown).sort((a, b) => ORDERS[sort](a, b) || byName(a, b));
}

function wordsOf(device: Device): string[] {
  return [device.name, device.model, device.exit.country, ...labelTexts(device.labels)];
}

const byName = (a: Device, b: Device): number => a.name.localeCompare(b.name, 'en', { numeric: true });

const ORDERS: Record<PhoneSort, (a: Device, b: Device) => number> = {
  name: () => 0,
  newest: (a, b) => b.created_at.localeCompare(a.created_at),
  state: (a, b) => a.state.localeCompare(b.state),
  minutes: (a, b) => b.minutes_today - a.minutes_today,
};
