import { createRequire } from 'node:module';
import { GlobalFonts } from '@napi-rs/canvas';
import { fallbackFamilies } from './fallback-fonts.js';

const FONT_FAMILY = 'Roboto';

const SUBSETS = ['latin', 'latin-ext', 'cyrillic', 'greek', 'vietnamese', 'symbols', 'math'] as const;
const WEIGHTS = [400, 500, 700] as const;
/** The name that marks the phone's fonts as registered. The registry belongs to the native library, and a process has only one. */
const REGISTERED = 'Cloudphone Roboto registered';

/** Registers the phone's fonts in the process, once. All subsets are one family, so that a glyph is found for each letter. */
export function registerFonts(): void {
  if (GlobalFonts.has(REGISTERED)) return;
  const require = createRequire(import.meta.url);
  for (const subset of SUBSETS) {
    for (const weight of WEIGHTS) {
      const path = require.resolve(`@fontsource/roboto/files/roboto-${subset}-${weight}-normal.woff2`);
      if (GlobalFonts.registerFromPath(path, FONT_FAMILY) === null)
        throw new Error(`font ${subset} ${weight} is unreadable`);
      if (subset === 'latin' && weight === 400) GlobalFonts.registerFromPath(path, REGISTERED);
    }
  }
}

/** Returns the canvas's `font` for a text: the phone's own, and others for letters that it does not have. */
export function fontFor(text: string, weight: number, sizePx: number): string {
  const others = fallbackFamilies(text);
  const families =
    others.length === 0 ? FONT_FAMILY : `${FONT_FAMILY}, ${others.map((name) => `"${name}"`).join(', ')}`;
  return `${weight} ${sizePx}px ${families}`;
}
