import { androidIdOf } from '../system/identity.js';
import type { StateFile } from '../system/state-file.js';
import type { PhoneIdentity, Settings, SettingsNamespace } from '../system/system.js';

export const SETTINGS_NAMESPACES = ['system', 'secure', 'global'] as const;

export type Stored = Partial<Record<SettingsNamespace, Record<string, string | null>>>;

/** Most characters of all changed settings of a phone. Android's settings provider has such a limit for each app. */
const MAX_CHARS = 64 * 1024;

/** The error when there is no room for another setting. */
export class TooManySettings extends Error {
  override name = 'TooManySettings';
}

/**
 * The settings that the command `settings` reads and writes. Only differences from the factory's values are stored; null marks a factory
 * value that was deleted.
 */
export class SettingsStore implements Settings {
  readonly #file: StateFile<Stored>;
  readonly #changed: Stored;
  readonly #factory: FactorySettings;
  #chars = 0;
  readonly #listeners: ((namespace: SettingsNamespace, key: string) => void)[] = [];

  constructor(file: StateFile<Stored>, factory: FactorySettings) {
    this.#file = file;
    this.#factory = factory;
    this.#changed = file.read() ?? {};
    for (const table of Object.values(this.#changed)) for (const [key, value] of Object.entries(table)) this.#chars += cost(key, value); // prettier-ignore
  }

  get(namespace: SettingsNamespace, key: string): string | undefined {
    const changed = own(this.#changed[namespace], key);
    return changed === null ? undefined : (changed ?? own(this.#factory[namespace], key));
  }

  put(namespace: SettingsNamespace, key: string, value: string): void {
    if (this.get(namespace, key) === value) return;
    this.#store(namespace, key, value);
  }

  delete(namespace: SettingsNamespace, key: string): boolean {
    if (this.get(namespace, key) === undefined) return false;
    this.#store(namespace, key, null);
    return true;
  }

  entries(namespace: SettingsNamespace): [key: string, value: string][] {
    const keys = new Set([...Object.keys(this.#factory[namespace]), ...Object.keys(this.#changed[namespace] ?? {})]);
    return [...keys].sort().flatMap((key): [string, string][] => {
      const value = this.get(namespace, key);
      return value === undefined ? [] : [[key, value]];
    });
  }

  onChange(listener: (namespace: SettingsNamespace, key: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Stores a value. Throws TooManySettings when the value is longer than before and there is no room for it. */
  #store(namespace: SettingsNamespace, key: string, value: string | null): void {
    const table = (this.#changed[namespace] ??= {});
    const growth = cost(key, value) - (Object.hasOwn(table, key) ? cost(key, table[key] ?? null) : 0);
    if (growth > 0 && this.#chars + growth > MAX_CHARS) throw new TooManySettings('there is no room for more settings');
    this.#chars += growth;
    // A key named `__proto__` must be a key like any other.
    Object.defineProperty(table, key, { value, enumerable: true, configurable: true, writable: true });
    this.#file.write(this.#changed);
    for (const listener of this.#listeners) listener(namespace, key);
  }
}

/** Returns the characters that a setting takes in memory and in its file. */
function cost(key: string, value: string | null): number {
  return key.length + (value?.length ?? 0) + 16;
}

function own<T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return table && Object.hasOwn(table, key) ? table[key] : undefined;
}

type FactorySettings = Readonly<Record<SettingsNamespace, Readonly<Record<string, string>>>>;

/** The settings of a phone before any is changed. */
export function factorySettings(identity: PhoneIdentity): FactorySettings {
  return { ...FACTORY_SETTINGS, secure: { ...FACTORY_SETTINGS.secure, android_id: androidIdOf(identity) } };
}

/** Returns stored settings for another phone, without those that belong to one phone alone. */
export function withoutIdentity(stored: Stored): Stored {
  const secure = { ...stored.secure };
  delete secure['android_id'];
  return { ...stored, secure };
}

const FACTORY_SETTINGS: FactorySettings = {
  system: {
    accelerometer_rotation: '1',
    font_scale: '1.0',
    haptic_feedback_enabled: '1',
    screen_brightness: '102',
    screen_brightness_mode: '0',
    screen_off_timeout: '1800000',
    show_touches: '0',
    pointer_location: '0',
    user_rotation: '0',
    volume_music: '5',
    volume_ring: '5',
  },
  secure: {
    accessibility_enabled: '0',
    default_input_method: 'com.android.inputmethod.latin/.LatinIME',
    enabled_input_methods: 'com.android.inputmethod.latin/.LatinIME',
    location_mode: '3',
    lock_screen_lock_after_timeout: '5000',
    user_setup_complete: '1',
  },
  global: {
    adb_enabled: '1',
    airplane_mode_on: '0',
    animator_duration_scale: '1.0',
    auto_time: '1',
    auto_time_zone: '1',
    bluetooth_on: '0',
    development_settings_enabled: '1',
    device_provisioned: '1',
    mobile_data: '1',
    mode_ringer: '2',
    stay_on_while_plugged_in: '7',
    transition_animation_scale: '1.0',
    wifi_on: '1',
    window_animation_scale: '1.0',
  },
};
