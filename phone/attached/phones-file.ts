import { resolve } from 'node:path';

/** A phone of the operator's, as PHONES_FILE lists it. */
export interface ListedPhone {
  /**
   * The phone's id among the host's phones: the address, or `serial@host:port` of the adb server. The id stays the same while the entry's
   * address stays the same.
   */
  slot: string;
  via: { kind: 'tcp'; host: string; port: number } | { kind: 'adb-server'; host: string; port: number; serial: string };
  /** The name shown to people. */
  name: string;
  /** The word on the wire; several phones may share it. */
  model: string;
  /** An `adbkey` file. Absent: the service's own key. */
  keyFile?: string;
  /** How the phone is cleaned before another customer gets it. */
  clean: CleanWay;
  /** Whether the service may install its helper programs on it. */
  helpers: boolean;
}

export type CleanWay = 'none' | 'uninstall' | 'factory';

const CLEAN_WAYS: readonly CleanWay[] = ['none', 'uninstall', 'factory'];
const PHONE_FIELDS = ['address', 'name', 'model', 'key_file', 'clean', 'helpers'];

/** Parses the text of a PHONES_FILE. Returns its phones and all faults that were found. Paths in the text are relative to `folder`. */
export function parsePhonesFile(text: string, folder: string): { value: ListedPhone[]; faults: string[] } {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    return { value: [], faults: [`it is not JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  const list = isObject(file) ? file['phones'] : undefined;
  if (!isObject(file) || !Array.isArray(list)) return { value: [], faults: ['it is not {"phones": [...]}'] };
  const faults = unknownFields(file, ['phones']).map((field) => `${field} is not a field; there is only phones`);
  const phones = list.flatMap((entry: unknown, at) => {
    const phone = new EntryReader(entry, `phones[${at}]`, faults).read(folder);
    return phone === null ? [] : [phone];
  });
  for (const [at, { slot }] of phones.entries()) {
    const first = phones.findIndex((other) => other.slot === slot);
    if (first < at) faults.push(`phones[${at}].address is ${slot}, like phones[${first}]: a phone can be listed once`);
  }
  return { value: phones, faults };
}

/** Reads one entry and collects its mistakes. */
class EntryReader {
  readonly #entry: unknown;
  readonly #where: string;
  readonly #faults: string[];

  constructor(entry: unknown, where: string, faults: string[]) {
    this.#entry = entry;
    this.#where = where;
    this.#faults = faults;
  }

  read(folder: string): ListedPhone | null {
    const entry = this.#entry;
    if (!isObject(entry)) return this.#faulty('', 'is not an object');
    for (const field of unknownFields(entry, PHONE_FIELDS))
      this.#fault(`.${field}`, `is not a field; there are ${PHONE_FIELDS.join(', ')}`);
    const via = this.#via(entry['address']);
    const model = entry['model'];
    if (typeof model !== 'string' || !/^[a-z0-9][a-z0-9.-]{0,62}$/.test(model))
      return this.#faulty('.model', `${shown(model)} is not a word of 1 to 63 of a-z 0-9 . -`);
    const name = entry['name'] ?? model;
    if (typeof name !== 'string' || name.length < 1 || name.length > 100)
      return this.#faulty('.name', `${shown(name)} is not a text of 1 to 100 characters`);
    const clean = CLEAN_WAYS.find((way) => way === entry['clean']);
    if (clean === undefined)
      return this.#faulty('.clean', `${shown(entry['clean'])} is not one of ${CLEAN_WAYS.join(', ')}`);
    const keyFile = entry['key_file'];
    if (keyFile !== undefined && (typeof keyFile !== 'string' || keyFile === ''))
      return this.#faulty('.key_file', `${shown(keyFile)} is not a path`);
    if (keyFile !== undefined && via?.kind === 'adb-server')
      return this.#faulty('.key_file', 'is of no use with adb_server, which has a key of its own');
    const helpers = entry['helpers'] ?? 'off';
    if (helpers !== 'on' && helpers !== 'off')
      return this.#faulty('.helpers', `${shown(helpers)} is not one of on, off`);
    if (via === null) return null;
    const slot = via.kind === 'tcp' ? addressText(via) : `${via.serial}@${addressText(via)}`;
    return {
      slot,
      via,
      name,
      model,
      clean,
      helpers: helpers === 'on',
      ...(keyFile !== undefined && { keyFile: resolve(folder, keyFile) }),
    };
  }

  #via(address: unknown): ListedPhone['via'] | null {
    if (typeof address === 'string') {
      const found = parseAddress(address);
      return found ? { kind: 'tcp', ...found } : this.#faulty('.address', `${shown(address)} is not host:port`);
    }
    if (!isObject(address)) return this.#faulty('.address', 'is neither "host:port" nor {"adb_server", "serial"}');
    for (const field of unknownFields(address, ['adb_server', 'serial']))
      this.#fault(`.address.${field}`, 'is not a field; there are adb_server, serial');
    const { adb_server: server, serial } = address;
    const found = typeof server === 'string' ? parseAddress(server) : undefined;
    if (found === undefined) return this.#faulty('.address.adb_server', `${shown(server)} is not host:port`);
    if (typeof serial !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(serial))
      return this.#faulty('.address.serial', `${shown(serial)} is not a serial number as "adb devices" shows it`);
    return { kind: 'adb-server', ...found, serial };
  }

  #fault(field: string, text: string): void {
    this.#faults.push(`${this.#where}${field} ${text}`);
  }

  /** Records the fault and returns null in place of a value. */
  #faulty(field: string, text: string): null {
    this.#fault(field, text);
    return null;
  }
}

/** Returns an address as `host:port` or `[v6]:port`. */
function addressText({ host, port }: { host: string; port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseAddress(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9._-]{0,252})?)):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (!match || port < 1 || port > 65_535) return undefined;
  return { host: (match[1] ?? match[2] ?? '').toLowerCase(), port };
}

function unknownFields(object: object, known: readonly string[]): string[] {
  return Object.keys(object).filter((field) => !known.includes(field));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return value === undefined ? 'is missing and' : JSON.stringify(value).slice(0, 80);
}
