import { parseHttpUrl } from '../../../kit/text/parse-url.js';
import { isTimezone } from '../../record/timezone.js';
import { parseProxyUrl } from './proxy-url.js';

/** One of the operator's exits. */
export interface ListedExit {
  /**
   * The exit's name in EXITS_FILE; absent for simulated exits. Devices refer to their exit by this name, so it must not change while the
   * exit is listed.
   */
  name?: string;
  type: ExitTypeWord;
  /** ISO 3166-1 alpha-2, lower case. */
  country: string;
  /** IANA names; the first is the default. */
  timezones: readonly string[];
  /** URL of the exit's proxy; `{session}` in its login is replaced by the device's exit tag. Absent: the host's own connection. */
  proxy?: string;
  /** How a device gets another address: by a new exit tag, by a call of this URL, or a simulated one. Absent: the address is fixed. */
  rotate?: 'session' | { url: string } | 'simulated';
}

export type ExitTypeWord = (typeof TYPES)[number];

/** The types of exits that can be on sale. */
export const TYPES = ['mobile', 'residential', 'datacenter', 'direct'] as const;

const FIELDS = ['name', 'type', 'country', 'timezones', 'proxy', 'rotate'];

/**
 * Parses the text of EXITS_FILE: `{"exits": [...]}`. Collects all faults, each with the field that it is in. No fault repeats a value
 * that may hold a password.
 */
export function parseExitsFile(text: string): { value: readonly ListedExit[]; faults: readonly string[] } {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    // Node's message quotes the text around the fault, which may be a password.
    const [where = ''] = /at position \d+/.exec(error instanceof Error ? error.message : '') ?? [];
    return { value: [], faults: [`it is not JSON${where === '' ? '' : `: there is a fault ${where}`}`] };
  }
  const list = isObject(file) ? file['exits'] : undefined;
  if (!isObject(file) || !Array.isArray(list)) return { value: [], faults: ['it is not {"exits": [...]}'] };
  const faults = unknownFields(file, ['exits']).map((field) => `${field} is not a field; there is only exits`);
  if (list.length === 0) faults.push('exits is empty: list at least one');
  const names = new Set<string>();
  const value = list.flatMap((entry: unknown, at) => {
    const fault = (field: string, text: string): void => void faults.push(`exits[${at}]${field} ${text}`);
    const found = readEntry(entry, fault);
    if (found?.name === undefined) return [];
    if (names.has(found.name)) fault('.name', `"${found.name}" is listed twice`);
    names.add(found.name);
    return [found];
  });
  return { value, faults };
}

function readEntry(entry: unknown, fault: (field: string, text: string) => void): ListedExit | undefined {
  if (!isObject(entry)) {
    fault('', 'is not an object');
    return undefined;
  }
  for (const field of unknownFields(entry, FIELDS))
    fault(`.${field}`, `is not a field; there are ${FIELDS.join(', ')}`);
  const { name, country, timezones, proxy } = entry;
  const type = TYPES.find((one) => one === entry['type']);
  const isName = typeof name === 'string' && /^[a-z0-9][a-z0-9._-]{0,62}$/.test(name);
  const isCountry = typeof country === 'string' && /^[a-z]{2}$/.test(country);
  if (!isName) fault('.name', 'is not a word of 1 to 63 of a-z 0-9 . _ -');
  if (type === undefined) fault('.type', `is not one of ${TYPES.join(', ')}`);
  if (!isCountry) fault('.country', 'is not two lower-case letters (ISO 3166-1), such as de');
  const zones = readZones(timezones, fault);
  const url = readProxy(proxy, type, fault);
  const rotate = readRotate(entry['rotate'], { type, url }, fault);
  if (!isName || type === undefined || !isCountry || zones === undefined) return undefined;
  return {
    name,
    type,
    country,
    timezones: zones,
    ...(url !== undefined && { proxy: url }),
    ...(rotate !== undefined && { rotate }),
  };
}

function readZones(zones: unknown, fault: (field: string, text: string) => void): string[] | undefined {
  if (!Array.isArray(zones) || zones.length === 0) {
    fault('.timezones', 'is not a list of IANA time zones, such as ["Europe/Berlin"]');
    return undefined;
  }
  for (const [at, zone] of zones.entries()) {
    if (typeof zone !== 'string' || !isTimezone(zone)) fault(`.timezones[${at}]`, 'is not an IANA time zone');
  }
  return zones.filter((zone) => typeof zone === 'string');
}

function readProxy(
  proxy: unknown,
  type: ExitTypeWord | undefined,
  fault: (field: string, text: string) => void,
): string | undefined {
  if (type === 'direct') {
    if (proxy !== undefined) fault('.proxy', "is of no use with type direct, which is the host's own connection");
    return undefined;
  }
  if (typeof proxy !== 'string') {
    if (type !== undefined) fault('.proxy', 'is missing: only type direct has none');
    return undefined;
  }
  const parsed = parseProxyUrl(proxy.replaceAll('{session}', 'session'));
  if (!('fault' in parsed)) return proxy;
  fault('.proxy', parsed.fault);
  return undefined;
}

function readRotate(
  rotate: unknown,
  { type, url: proxy }: { type: ExitTypeWord | undefined; url: string | undefined },
  fault: (field: string, text: string) => void,
): ListedExit['rotate'] {
  if (rotate === undefined) return undefined;
  if (rotate === 'session') {
    if (type === 'direct') fault('.rotate', 'is "session", but type direct has no proxy with a login');
    const login = proxy?.slice(0, proxy.lastIndexOf('@')) ?? '';
    if (proxy !== undefined && !login.includes('{session}')) {
      fault('.rotate', 'is "session", but the login in proxy has no {session}');
    }
    return rotate;
  }
  if (isObject(rotate)) {
    for (const field of unknownFields(rotate, ['url'])) fault(`.rotate.${field}`, 'is not a field; there is only url');
    const { url } = rotate;
    if (typeof url === 'string' && parseHttpUrl(url) !== undefined) return { url };
    fault('.rotate.url', 'is not an http or https URL');
    return undefined;
  }
  fault('.rotate', 'is neither "session" nor {"url": "..."}');
  return undefined;
}

function unknownFields(object: object, known: readonly string[]): string[] {
  return Object.keys(object).filter((field) => !known.includes(field));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
