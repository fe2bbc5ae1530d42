import { FakeClock, settled } from '../fake-clock.js';
import { silentLog } from '../../kit/log/log.js';
import { phoneApps } from '../../simulated-phone/host/built-in-apps.js';
import type { App } from '../../simulated-phone/apps/app.js';
import type {
  InstalledPackage,
  PhoneFiles,
  PhoneNetwork,
  Settings,
  SettingsNamespace,
} from '../../simulated-phone/system/system.js';
import { createDrawing, type Drawing } from '../../simulated-phone/ui/drawing.js';
import { parseDump, type DumpNode } from './parse-dump.js';
import { EXTRA_APPS } from './extra-apps.js';
import { SeenConditions } from '../../simulated-phone/conditions/seen-conditions.js';
import { ProcessTable } from '../../simulated-phone/process/process-table.js';
import { createScreen, type SimulatedScreen } from '../../simulated-phone/screen/simulated-screen.js';

export interface ScreenWorldOptions {
  width?: number;
  height?: number;
  density?: number;
  files?: MemoryFiles;
  network?: PhoneNetwork;
  apps?: readonly App[];
  drawing?: Drawing;
  /** Absent: 14. */
  android?: string;
}

/** One drawing kit for all tests of the process, as all phones of a process share one. */
export const sharedDrawing = createDrawing();

/** A phone's screen with test doubles for the phone's other parts, and a clock that the test turns. */
export class ScreenWorld {
  readonly clock = new FakeClock();
  readonly files: MemoryFiles;
  readonly settings = new MemorySettings();
  readonly conditions = new SeenConditions();
  readonly installed: InstalledPackage[] = [];
  /** The log as texts, and its lines. */
  readonly logged: string[] = [];
  readonly log: { priority: string; tag: string; message: string; pid: number }[] = [];
  readonly screen: SimulatedScreen;
  readonly #packageListeners: (() => void)[] = [];

  constructor(options: ScreenWorldOptions = {}) {
    this.files = options.files ?? new MemoryFiles();
    const properties = new Map<string, string>();
    this.screen = createScreen(
      {
        identity: {
          phoneId: 'phone-1',
          name: 'pixel',
          serial: 'CP0001',
          android: options.android ?? '14',
          model: {
            model: 'phone-720p',
            name: 'Phone 720p',
            android: ['14'],
            memoryMb: 512,
            screen: {
              width: options.width ?? 720,
              height: options.height ?? 1280,
              density: options.density ?? 320,
            },
          },
        },
        clock: this.clock,
        log: silentLog,
        random: () => 0.25,
        properties: {
          get: (name) => properties.get(name) ?? '',
          set: (name, value) => properties.set(name, value) === properties,
          entries: () => [...properties],
        },
        settings: this.settings,
        conditions: this.conditions,
        logcat: {
          write: (priority, tag, message, pid) => this.#logs(priority, tag, message, pid),
          writeTo: (_buffer, priority, tag, message, pid) => this.#logs(priority, tag, message, pid),
        },
        processes: new ProcessTable(),
        files: this.files,
        packages: {
          list: () => this.installed,
          get: (name) => this.installed.find((known) => known.package === name),
          uidOf: () => 10_085,
          onChange: (listener) => void this.#packageListeners.push(listener),
        },
        network: options.network ?? offline,
      },
      { drawing: options.drawing ?? sharedDrawing, apps: options.apps ?? phoneApps(EXTRA_APPS) },
    );
  }

  #logs(priority: string, tag: string, message: string, pid = 612): void {
    this.logged.push(`${priority} ${tag}: ${message}`);
    this.log.push({ priority, tag, message, pid });
  }

  install(known: InstalledPackage): void {
    this.installed.push(known);
    for (const listener of this.#packageListeners) listener();
  }

  uninstall(name: string): void {
    this.installed.splice(
      this.installed.findIndex((known) => known.package === name),
      1,
    );
    for (const listener of this.#packageListeners) listener();
  }

  /** Turns the clock by `ms`, and lets file reads and writes complete before and after. */
  async settle(ms = 0): Promise<void> {
    await settled();
    await settled();
    this.clock.turn(ms);
    await settled();
    await settled();
  }

  tap(x: number, y: number): void {
    this.screen.touch({ phase: 'down', x, y, pointer: 0 });
    this.screen.touch({ phase: 'up', x, y, pointer: 0 });
  }

  press(...codes: number[]): void {
    for (const code of codes) {
      this.screen.key({ code, phase: 'down' });
      this.screen.key({ code, phase: 'up' });
    }
  }

  /** A finger that moves evenly from one point to another. */
  swipe(from: [number, number], to: [number, number], ms: number): void {
    const steps = Math.max(2, Math.round(ms / 10));
    this.screen.touch({ phase: 'down', x: from[0], y: from[1], pointer: 0 });
    for (let at = 1; at <= steps; at++) {
      this.clock.turn(ms / steps);
      const x = from[0] + ((to[0] - from[0]) * at) / steps;
      const y = from[1] + ((to[1] - from[1]) * at) / steps;
      this.screen.touch({ phase: 'move', x, y, pointer: 0 });
    }
    this.screen.touch({ phase: 'up', x: to[0], y: to[1], pointer: 0 });
  }

  async xml(): Promise<string> {
    const dumped = this.screen.dump({ compressed: false });
    await this.clock.pass(1500, 250);
    const outcome = await dumped;
    if (outcome.kind !== 'xml') throw new Error(`the dump ended in ${outcome.kind}`);
    return outcome.xml;
  }

  async nodes(): Promise<DumpNode[]> {
    return parseDump(await this.xml());
  }

  /** The node with this resource id (without package), text or description. */
  async find(wanted: string): Promise<DumpNode> {
    const all = await this.nodes();
    const node = all.find(
      ({ attributes: { 'resource-id': id = '', text, 'content-desc': description } }) =>
        id.endsWith(`id/${wanted}`) || text === wanted || description === wanted,
    );
    if (!node)
      throw new Error(`nothing called ${wanted} among ${all.map((known) => known.attributes['text']).join('|')}`);
    return node;
  }

  async tapOn(wanted: string): Promise<void> {
    const { bounds } = await this.find(wanted);
    this.tap((bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2);
    await this.settle(400);
  }
}

export class MemoryFiles implements PhoneFiles {
  readonly kept = new Map<string, Buffer>();

  async read(path: string): Promise<Buffer> {
    const found = this.kept.get(path);
    if (!found) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    return found;
  }

  async write(path: string, data: string | Uint8Array): Promise<void> {
    this.kept.set(path, Buffer.from(data));
  }
}

export class MemorySettings implements Settings {
  readonly #kept = new Map<string, string>();
  readonly #listeners: ((namespace: SettingsNamespace, key: string) => void)[] = [];

  get(namespace: SettingsNamespace, key: string): string | undefined {
    return this.#kept.get(`${namespace} ${key}`);
  }

  put(namespace: SettingsNamespace, key: string, value: string): void {
    this.#kept.set(`${namespace} ${key}`, value);
    for (const listener of this.#listeners) listener(namespace, key);
  }

  delete(namespace: SettingsNamespace, key: string): boolean {
    const had = this.#kept.delete(`${namespace} ${key}`);
    for (const listener of this.#listeners) listener(namespace, key);
    return had;
  }

  entries(namespace: SettingsNamespace): [string, string][] {
    return [...this.#kept].flatMap(([name, value]) =>
      name.startsWith(`${namespace} `) ? [[name.slice(namespace.length + 1), value]] : [],
    );
  }

  onChange(listener: (namespace: SettingsNamespace, key: string) => void): void {
    this.#listeners.push(listener);
  }
}

const offline: PhoneNetwork = {
  exit: { type: 'residential', country: 'de', timezone: 'Europe/Berlin', address: '203.0.113.7' },
  fetchText: () => Promise.reject(new Error('no network in this test')),
};
