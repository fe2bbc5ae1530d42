import { CloudPhone } from '../../client/src/cloud-phone.js';
import { prepareBase } from '../../gym/src/base/prepare-base.js';
import { GymPhone } from '../../gym/src/phone/gym-phone.js';

/** Settings of a new phone that are not those of the template. */
const NEW: readonly (readonly [name: string, value: string])[] = [
  ['global airplane_mode_on', '0'],
  ['global wifi_on', '1'],
  ['global auto_time_zone', '1'],
  ['system accelerometer_rotation', '1'],
  ['system font_scale', '1.0'],
  ['system screen_brightness', '102'],
  ['system user_rotation', '0'],
];

/** A phone that is only the state that tasks prepare and read, so that verdicts are judged for many seeds in a moment. */
export class MemoryPhone extends GymPhone {
  readonly settings = new Map(NEW);
  /** What apps keep, by package and name, and the files of the shared storage by their path. */
  readonly states = new Map<string, string>();
  readonly files = new Set<string>();

  private constructor() {
    const [url, key] = ['http://127.0.0.1:1/v1', 'none'];
    super('memory', { phone: new CloudPhone({ url, key }), url, key });
  }

  /** Makes a phone in the state of the template. */
  static async create(): Promise<MemoryPhone> {
    const phone = new MemoryPhone();
    await prepareBase(phone);
    return phone;
  }

  /** Returns another phone in the same state. */
  copy(): MemoryPhone {
    const other = new MemoryPhone();
    for (const [name, value] of this.settings) other.settings.set(name, value);
    for (const [name, state] of this.states) other.states.set(name, state);
    for (const path of this.files) other.files.add(path);
    return other;
  }

  override async run(command: string): Promise<string> {
    const [, verb = '', name = '', value = ''] = /^(settings get|settings put|getprop) (\S+(?: [a-z_]+)?) ?(.*)$/.exec(command) ?? []; // prettier-ignore
    if (verb === 'settings put') this.settings.set(name, value);
    else if (verb === 'settings get') return this.settings.get(name) ?? 'null';
    else if (verb === 'getprop') return 'serial';
    else throw new Error(`a phone in memory has no "${command}"`);
    return '';
  }

  override async appState<T>(packageName: string, file: string): Promise<T | undefined> {
    const text = this.states.get(`${packageName}/${file}`);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  override async setAppState(packageName: string, file: string, state: unknown): Promise<void> {
    this.states.set(`${packageName}/${file}`, JSON.stringify(state));
  }

  override async list(folder: string): Promise<string[] | undefined> {
    const below = [...this.files].filter((path) => path.startsWith(`${folder}/`) && path !== `${folder}/`);
    if (below.length === 0) return this.files.has(`${folder}/`) ? [] : undefined;
    return [...new Set(below.map((path) => /^[^/]+\/?/.exec(path.slice(folder.length + 1))?.[0] ?? ''))].sort();
  }

  override async writeFile(path: string): Promise<void> {
    this.files.add(path);
  }
}
