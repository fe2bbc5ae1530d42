import type { ScreenSize } from '../../phone/driver.js';

/** A phone as the words on the command line of its container describe it. */
export interface BootWords {
  /** Empty: the words name none. */
  serial: string;
  screen: ScreenSize;
  /** Properties of the boot, by name. */
  properties: ReadonlyMap<string, string>;
}

/** Of a phone whose words name no size, as redroid's. */
const DEFAULT_SCREEN: ScreenSize = { width: 720, height: 1280, density: 320 };

/** Pixels of a side: less has no room for the status bar, more takes 64 MB and upwards for a frame. */
const SIDE = { min: 200, max: 4_096 };
const DENSITY = { min: 72, max: 1_000 };

/** Android's limit of a value; those of `ro.` may be longer. */
const MAX_VALUE_CHARS = 4_096;

/**
 * Parses the arguments of init as redroid has them: `androidboot.NAME=VALUE` is shown as the property `ro.boot.NAME`, `ro.NAME=VALUE`
 * sets that property, and `androidboot.redroid_width`, `_height` and `_dpi` are the screen's. Other words are ignored, as Android does.
 * Throws one line for a size that the phone cannot have: a phone with another one would pass for the one that was requested.
 */
export function parseBootWords(words: readonly string[]): BootWords {
  const boot = new Map<string, string>();
  const properties = new Map<string, string>();
  for (const word of words) {
    const [, name = '', value = ''] = /^([^=]+)=([\s\S]*)$/.exec(word) ?? [];
    if (value.length > MAX_VALUE_CHARS) throw new Error(`The value of ${name} has more than ${MAX_VALUE_CHARS} characters.`); // prettier-ignore
    if (name.startsWith('androidboot.')) boot.set(name.slice('androidboot.'.length), value);
    else if (name.startsWith('ro.')) properties.set(name, value);
  }
  const hardware = boot.get('hardware');
  const shown = new Map([
    ...[...boot].map(([name, value]) => [`ro.boot.${name}`, value] as const),
    ...(hardware === undefined ? [] : [['ro.hardware', hardware] as const]),
    ...properties,
  ]);
  return {
    serial: boot.get('serialno') ?? '',
    screen: {
      width: sizeIn(boot, 'redroid_width', SIDE) ?? DEFAULT_SCREEN.width,
      height: sizeIn(boot, 'redroid_height', SIDE) ?? DEFAULT_SCREEN.height,
      density: sizeIn(boot, 'redroid_dpi', DENSITY) ?? DEFAULT_SCREEN.density,
    },
    properties: shown,
  };
}

function sizeIn(
  boot: ReadonlyMap<string, string>,
  name: string,
  range: { min: number; max: number },
): number | undefined {
  const text = boot.get(name);
  if (text === undefined) return undefined;
  const size = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (size >= range.min && size <= range.max) return size;
  throw new Error(`androidboot.${name}="${text}" is not a whole number from ${range.min} to ${range.max}.`);
}
