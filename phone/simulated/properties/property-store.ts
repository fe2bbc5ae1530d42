import type { PhoneIdentity, Properties } from '../system.js';
import type { StateFile } from '../state-file.js';
import { FACTORY_PROPERTIES } from './factory-properties.js';

/**
 * `getprop` and `setprop`. Only what differs from the factory's table is held, so that an idle phone costs next to nothing;
 * the table is shared and worked out per phone when asked.
 */
export class PropertyStore implements Properties {
  readonly #identity: PhoneIdentity;
  readonly #file: StateFile<Record<string, string>>;
  readonly #changed = new Map<string, string>();
  readonly #lasting: Record<string, string>;

  constructor(identity: PhoneIdentity, file: StateFile<Record<string, string>>) {
    this.#identity = identity;
    this.#file = file;
    this.#lasting = file.read() ?? {};
    for (const [name, value] of Object.entries(this.#lasting)) this.#changed.set(name, value);
  }

  get(name: string): string {
    const changed = this.#changed.get(name);
    if (changed !== undefined) return changed;
    const factory = Object.hasOwn(FACTORY_PROPERTIES, name) ? FACTORY_PROPERTIES[name] : undefined;
    return typeof factory === 'function' ? factory(this.#identity) : (factory ?? '');
  }

  set(name: string, value: string): void {
    if (this.get(name) === value) return;
    this.#changed.set(name, value);
    if (!name.startsWith('persist.')) return;
    this.#lasting[name] = value;
    this.#file.write(this.#lasting);
  }

  entries(): [name: string, value: string][] {
    const names = new Set([...Object.keys(FACTORY_PROPERTIES), ...this.#changed.keys()]);
    return [...names]
      .sort()
      .map((name): [string, string] => [name, this.get(name)])
      .filter(([, value]) => value !== '');
  }
}
