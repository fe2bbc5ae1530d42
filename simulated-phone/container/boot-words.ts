import type { ScreenSize } from '../../phone/driver.js';

/** A phone as the words on the command line of its container describe it. */
export interface BootWords {
  /** The serial number. Empty: the words name none. */
  serial: string;
  screen: ScreenSize;
  /** Properties of the boot, by name. */
  properties: ReadonlyMap<string, string>;
}

/** The screen of a phone whose words name no size; redroid has the same one. */
const DEFAULT_SCREEN: ScreenSize = { width: 720, height: 1280, density: 320 };

/** Bounds of the screen's width and height, pixels. Smaller screens have no room for the status bar. Frames of larger ones exceed 64 MB. */
const SIDE = { min: 200, max: 4_096 };
const DENSITY = { min: 72, max: 1_000 };

/** Longest value of a property, characters. Android's own limit is shorter, but does not apply to properties of `ro.`. */
const MAX_VALUE_CHARS = 4_096;

/**
 * Parses the arguments of init, which have the form that redroid uses. `androidboot.NAME=VALUE` is shown as the property `ro.boot.NAME`,
 * and `ro.NAME=VALUE` sets that property. `androidboot.redroid_width`, `_height` and `_dpi` describe the screen. Other words are ignored,
 * as on Android. Throws an error of one line for a value that is too long, or for a size that the phone cannot have. A default size would
 * pass for the requested one.
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
