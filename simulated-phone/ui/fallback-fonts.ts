import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { GlobalFonts } from '@napi-rs/canvas';
import { LRUCache } from 'lru-cache';

const require = createRequire(import.meta.url);

/** A family that is spread over files, each with the letters of some ranges; only files with letters that were needed are loaded. */
interface SlicedFont {
  package: string;
  file: (slice: string) => string;
}

const noto = (script: string): SlicedFont => ({
  package: `@fontsource-variable/noto-sans-${script}`,
  file: (slice) => `noto-sans-${script}-${slice}-wght-normal.woff2`,
});

const japanese = noto('jp');
const korean = noto('kr');
const chinese = noto('sc');

/**
 * The whole emoji font in one file, as the canvas cannot draw the format of its slices. The file is woff, as woff2 takes twice the memory.
 */
const emoji: SlicedFont = {
  package: '@fontsource/noto-color-emoji',
  file: () => 'noto-color-emoji-emoji-400-normal.woff',
};

const byScript: readonly [letters: RegExp, font: SlicedFont][] = [
  [/\p{sc=Hebrew}/u, noto('hebrew')],
  [/\p{sc=Arabic}/u, noto('arabic')],
  [/\p{sc=Devanagari}|[\u0964\u0965]/u, noto('devanagari')],
  [/\p{sc=Bengali}/u, noto('bengali')],
  [/\p{sc=Tamil}/u, noto('tamil')],
  [/\p{sc=Telugu}/u, noto('telugu')],
  [/\p{sc=Thai}/u, noto('thai')],
  [/\p{sc=Hangul}/u, korean],
];

/**
 * The letters of East Asian scripts but Hangul. A Han letter has the same code point in all languages, and another shape in each. So the
 * language is guessed from the rest of the text.
 */
const EAST_ASIAN =
  /\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Bopomofo}|[\u3000-\u303f\u30fc\ufe30-\ufe4f\uff00-\uffef]/u;
const KANA = /\p{sc=Hiragana}|\p{sc=Katakana}/u;
const HANGUL = /\p{sc=Hangul}/u;

/** Emoji. Signs below U+2300 are drawn as text unless a variation selector makes them pictures: © ™ ↔. */
const EMOJI = /\p{Emoji_Presentation}|(?![\0-\u22ff])\p{Extended_Pictographic}|\p{Emoji}\ufe0f|[\ufe0f\u20e3]|\p{RI}/u;

/** Letters outside these ranges may need another font than Roboto. */
const MAY_NEED_ANOTHER = /[^\0-\u058f\u1c80-\u1fff\u2000-\u200c\u200e-\u20cf\u2100-\u22ff]/;

/**
 * Returns the font families for the letters of a text that Roboto does not have. Emoji come first, the others follow in the order of the
 * letters. Families are loaded at first use.
 */
export function fallbackFamilies(text: string): readonly string[] {
  if (!MAY_NEED_ANOTHER.test(text)) return NONE;
  const known = found.get(text) ?? find(text);
  found.set(text, known);
  return known;
}

/** The families that were found for texts, over all phones of the process. */
const found = new LRUCache<string, readonly string[]>({ max: 4_000 });

function find(text: string): readonly string[] {
  const families = new Set<string>();
  if (EMOJI.test(text)) families.add(load(emoji, 'emoji'));
  const eastAsian = KANA.test(text) ? [japanese, chinese, korean] : HANGUL.test(text) ? [korean, chinese, japanese] : [chinese, japanese, korean]; // prettier-ignore
  for (const letter of text) {
    if (letter < '\u0590') continue;
    const fonts = EAST_ASIAN.test(letter)
      ? eastAsian
      : byScript.flatMap(([of, font]) => (of.test(letter) ? [font] : []));
    for (const font of fonts) {
      const slice = sliceOf(font, letter.codePointAt(0) ?? 0);
      if (slice === undefined) continue;
      families.add(load(font, slice));
      break;
    }
  }
  return [...families];
}

const NONE: readonly string[] = [];

interface Slice {
  name: string;
  from: number;
  to: number;
}

const slices = new Map<SlicedFont, readonly Slice[]>();

/** Returns the slice that has a letter, by the ranges that the package lists: `{"[0]": "U+1f1e6-1f1ff,…", "thai": …}`. */
function sliceOf(font: SlicedFont, codePoint: number): string | undefined {
  let known = slices.get(font);
  if (!known) {
    const listed = JSON.parse(readFileSync(require.resolve(`${font.package}/unicode.json`), 'utf8')) as Record<
      string,
      string
    >;
    known = Object.entries(listed).flatMap(([name, ranges]) =>
      ranges.split(',').map((range) => {
        const [from = '', to = from] = range.replace(/^u\+/i, '').split('-');
        return { name: name.replace(/[[\]]/g, ''), from: parseInt(from, 16), to: parseInt(to, 16) };
      }),
    );
    slices.set(font, known);
  }
  return known.find(({ from, to }) => codePoint >= from && codePoint <= to)?.name;
}

/** The families that are loaded. The native library has one registry of them for the process, which is slow to query. */
const loaded = new Set<string>();

/** Registers a slice as a family of its own. The canvas looks up a family only once, so it would miss slices that a family gets later. */
function load(font: SlicedFont, slice: string): string {
  const family = `${font.package.split('/')[1] ?? ''} ${slice}`;
  if (!loaded.has(family)) {
    const path = require.resolve(`${font.package}/files/${font.file(slice)}`);
    if (GlobalFonts.registerFromPath(path, family) === null) throw new Error(`font ${family} is unreadable`);
    loaded.add(family);
  }
  return family;
}
