import type { SearchWork } from './search-work.js';

/** One reading of a text, such as the text with its escapes decoded. Each place in the reading has its place in the original text. */
export interface TextView {
  /** The text in composed form, with a single blank for blanks and line ends in a row, and without characters that do not show. */
  text: string;
  /** The places at which each unit of `text` begins and ends in the original text. */
  from: readonly number[];
  to: readonly number[];
  /** Whether parts were decoded or left out, so that a person who reads the original text does not see `text` there. */
  isEncoded: boolean;
}

/** A part of a text. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Builds a view unit by unit. Units are joined at the end, as looking at the end of a growing text takes time in proportion to its length.
 */
class ViewBuilder {
  readonly #units: string[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  get last(): string | undefined {
    return this.#units.at(-1);
  }

  add(characters: string, from: number, to: number): void {
    for (const unit of characters.length === 1 ? characters : characters.split('')) {
      this.#units.push(unit);
      this.#from.push(from);
      this.#to.push(to);
    }
  }

  /** Writes another unit in place of the last one, which then goes on to `to`. */
  changeLast(unit: string, to: number): void {
    this.#units[this.#units.length - 1] = unit;
    this.#to[this.#to.length - 1] = to;
  }

  finish(isEncoded: boolean): TextView {
    return { text: this.#units.join(''), from: this.#from, to: this.#to, isEncoded };
  }
}

/** Returns the text as a person reads it. */
export function plainView(text: string): TextView {
  const view = new ViewBuilder();
  let from = 0;
  for (const character of text) {
    const to = from + character.length;
    const isBlank = character === ' ' || ((character < ' ' || character > '~') && /\s/u.test(character));
    if (isBlank && view.last === ' ') view.changeLast(' ', to);
    else if (isBlank) view.add(' ', from, to);
    else if (character > '~') addComposed(view, character, from, to);
    else view.add(character, from, to);
    from = to;
  }
  return view.finish(false);
}

/**
 * Adds a character. Marks are composed with the letter before them; soft hyphens, joiners and marks of direction do not show and are left
 * out.
 */
function addComposed(view: ViewBuilder, character: string, from: number, to: number): void {
  if (/\p{Cf}/u.test(character)) return;
  const { last } = view;
  const composed = last !== undefined && /\p{M}/u.test(character) ? (last + character).normalize('NFC') : '';
  if (composed.length === 1) view.changeLast(composed, to);
  else view.add(character.normalize('NFC'), from, to);
}

/** Decoding a character of a text takes as much work as searching this many. */
const DECODE_WORK = 2;

/**
 * Returns the different readings of a text: the text as it is, and the text with the escapes of addresses, pages or programs decoded. Each
 * reading takes work for the characters that it is made of; when no work is left, there are no more readings.
 */
export function viewsOf(text: string, work: SearchWork): TextView[] {
  if (!work.spend(text.length)) return [];
  const plain = plainView(text);
  const views = [plain];
  const add = (view: TextView): void => {
    if (!views.some((one) => one.text === view.text)) views.push(view);
  };
  const each = (decode: (view: TextView) => TextView): void => {
    for (const view of [...views]) if (work.spend(DECODE_WORK * view.text.length)) add(decode(view));
  };
  if (text.includes('\\')) each(decodeProgram);
  if (text.includes('&')) each(decodeHtml);
  // Escapes of addresses are decoded twice, as an address can be a part of another one. A part of a page can be in an address, too.
  if (/[%+]/.test(text)) {
    for (let time = 0; time < 2; time++) for (const isForm of [false, true]) each((view) => decodeUrl(view, isForm));
    if (/%26/i.test(text)) each(decodeHtml);
  }
  return views;
}

/** Returns the text without the blanks and hyphens that people put between the groups of a code: `DE89 3704`, `482-913`. */
export function ungroupedView(view: TextView): TextView {
  return replaced(view, /[ -]/g, () => []);
}

/** One decoded character, and how much of the match it stands for. */
interface Decoded {
  text: string;
  /** The part of the match, in units; absent: all of it. */
  from?: number;
  to?: number;
}

/** Returns the view with each match replaced by its decoded characters; undefined leaves the match as it is. */
function replaced(
  view: TextView,
  pattern: RegExp,
  decode: (match: RegExpMatchArray) => Decoded[] | undefined,
): TextView {
  const made = new ViewBuilder();
  let done = 0;
  const copyTo = (end: number): void => {
    for (; done < end; done++) made.add(view.text.charAt(done), view.from[done] ?? 0, view.to[done] ?? 0);
  };
  for (const match of view.text.matchAll(pattern)) {
    const decoded = decode(match);
    if (decoded === undefined) continue;
    copyTo(match.index);
    const end = match.index + match[0].length;
    for (const { text, from = 0, to = match[0].length } of decoded)
      made.add(text, view.from[match.index + from] ?? 0, view.to[Math.min(end, match.index + to) - 1] ?? 0);
    done = end;
  }
  if (done === 0) return view;
  copyTo(view.text.length);
  return made.finish(true);
}

/** Decodes %XX, and + as a blank where forms encode blanks so. */
function decodeUrl(view: TextView, isForm: boolean): TextView {
  return replaced(view, isForm ? /(?:%[0-9a-f]{2})+|\+/gi : /(?:%[0-9a-f]{2})+/gi, ([encoded]) => {
    if (encoded === '+') return [{ text: ' ' }];
    let at = 0;
    return Array.from(Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8'), (character) => {
      const from = at * 3;
      at += character === '\ufffd' ? 1 : Buffer.byteLength(character);
      return { text: /\s/u.test(character) ? ' ' : character, from, to: at * 3 };
    });
  });
}

/** Decodes \uXXXX, \xXX and \" of JSON and programs. */
function decodeProgram(view: TextView): TextView {
  return replaced(view, /\\(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x([0-9a-f]{2})|(["'\\/]))/gi, (match) => {
    const [, unit, point, byte, sign] = match;
    if (sign !== undefined) return [{ text: sign }];
    const text = unit === undefined ? characterOf(Number.parseInt(point ?? byte ?? '', 16)) : fromUnit(unit);
    return text === undefined ? undefined : [{ text }];
  });
}

function fromUnit(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** Names of characters in HTML; the names of Latin letters are made of the letter and its accent. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['szlig', 'ß'],
  ['euro', '€'],
  ['pound', '£'],
  ['sect', '§'],
  ['aelig', 'æ'],
  ['AElig', 'Æ'],
  ['oslash', 'ø'],
  ['Oslash', 'Ø'],
]);

const ACCENTS: ReadonlyMap<string, string> = new Map([
  ['grave', '\u0300'],
  ['acute', '\u0301'],
  ['circ', '\u0302'],
  ['tilde', '\u0303'],
  ['uml', '\u0308'],
  ['ring', '\u030a'],
  ['cedil', '\u0327'],
]);

/** Decodes `&amp;`, `&#38;` and `&#x26;`. */
function decodeHtml(view: TextView): TextView {
  return replaced(view, /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,7}));/gi, ([, decimal, hex, name]) => {
    const text = name === undefined ? characterOf(Number.parseInt(hex ?? decimal ?? '', hex ? 16 : 10)) : named(name);
    return text === undefined ? undefined : [{ text: /\s/u.test(text) ? ' ' : text }];
  });
}

function named(name: string): string | undefined {
  const accent = ACCENTS.get(name.slice(1));
  return accent === undefined ? NAMED.get(name) : (name.charAt(0) + accent).normalize('NFC');
}

function characterOf(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
