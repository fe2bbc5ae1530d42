import type { PhoneIdentity, Properties } from '../system/system.js';
import type { StateFile } from '../system/state-file.js';
import { FACTORY_PROPERTIES } from './factory-properties.js';

/** Most characters of the names and values of set properties. Android's property area has this size. */
const MAX_CHARS = 128 * 1024;

/**
 * The properties of `getprop` and `setprop`. Only differences from the factory's table are held, so that an idle phone costs next to
 * nothing. All phones share the table; values that differ between phones are computed when they are read.
 */
export class PropertyStore implements Properties {
  readonly #identity: PhoneIdentity;
  readonly #file: StateFile<Record<string, string>>;
  readonly #changed = new Map<string, string>();
  readonly #lasting: Record<string, string>;
  #chars = 0;

  constructor(identity: PhoneIdentity, file: StateFile<Record<string, string>>) {
    this.#identity = identity;
    this.#file = file;
    this.#lasting = file.read() ?? {};
    for (const [name, value] of Object.entries(this.#lasting)) this.#keep(name, value);
  }

  get(name: string): string {
    const changed = this.#changed.get(name);
    if (changed !== undefined) return changed;
    const factory = Object.hasOwn(FACTORY_PROPERTIES, name) ? FACTORY_PROPERTIES[name] : undefined;
    return typeof factory === 'function' ? factory(this.#identity) : (factory ?? '');
  }

  /** Sets a property. Returns false, and sets nothing, when there is no room for it. */
  set(name: string, value: string): boolean {
    if (this.get(name) === value) return true;
    if (!this.#keep(name, value)) return false;
    if (!name.startsWith('persist.')) return true;
    this.#lasting[name] = value;
    this.#file.write(this.#lasting);
    return true;
  }

  #keep(name: string, value: string): boolean {
    const before = this.#changed.get(name);
    const growth = value.length - (before?.length ?? -name.length);
    if (growth > 0 && this.#chars + growth > MAX_CHARS) return false;
    this.#chars += growth;
    this.#changed.set(name, value);
    return true;
  }

  entries(): [name: string, value: string][] {
    const names = new Set([...Object.keys(FACTORY_PROPERTIES), ...this.#changed.keys()]);
    return [...names]
      .sort()
      .map((name): [string, string] => [name, this.get(name)])
      .filter(([, value]) => value !== '');
  }
}
