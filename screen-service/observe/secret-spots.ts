/** As many characters of a secret in a row are hidden. */
const SHOWN_LEAST = 4;

/** Four bytes take at least as many characters in base64. */
const BASE64_LEAST = 6;

/** One character of a text, as it was or decoded, with its place in the text. */
interface Piece {
  character: string;
  from: number;
  to: number;
}

/** A part of a text. */
export interface Span {
  from: number;
  to: number;
}

/** Finds what a text shows of secrets: four or more of one's characters in a row, in any case, also encoded for URLs, HTML or base64. */
export class SecretFinder {
  readonly #runs: readonly { length: number; all: ReadonlySet<string> }[];

  constructor(secrets: readonly string[]) {
    const runs = new Map<number, Set<string>>();
    for (const secret of secrets) {
      const characters = plain(secret.trim()).map(({ character }) => character);
      const length = Math.min(SHOWN_LEAST, characters.length);
      if (length === 0) continue;
      const all = runs.get(length) ?? new Set();
      runs.set(length, all);
      for (let at = 0; at + length <= characters.length; at++) all.add(characters.slice(at, at + length).join(''));
    }
    this.#runs = [...runs].map(([length, all]) => ({ length, all }));
  }

  /** Where the text shows a part of a secret, in order and apart. */
  find(text: string): Span[] {
    if (this.#runs.length === 0) return [];
    const shown = plain(text);
    const views = [shown];
    if (text.includes('&')) views.push(unescapeHtml(shown));
    // Twice, as an address can be part of another one, or of a page.
    if (/[%+]/.test(text)) {
      for (const view of [...views]) for (const isForm of [false, true]) views.push(decodeUrl(view, isForm));
      for (const view of [...views]) views.push(unescapeHtml(decodeUrl(view, true)));
    }
    const spans = views.flatMap((view) => this.#spansIn(view));
    return joined([...spans, ...this.#encoded(text)]);
  }

  #spansIn(pieces: readonly Piece[]): Span[] {
    const spans: Span[] = [];
    for (const { length, all } of this.#runs) {
      for (let at = 0; at + length <= pieces.length; at++) {
        const run = pieces.slice(at, at + length);
        if (!all.has(run.map(({ character }) => character).join(''))) continue;
        spans.push({ from: run[0]?.from ?? 0, to: run.at(-1)?.to ?? 0 });
      }
    }
    return spans;
  }

  /** Whole runs of base64 in which a secret is, wherever its bytes begin. */
  #encoded(text: string): Span[] {
    return [...text.matchAll(/(?:[A-Za-z0-9+/_-]|%2[BbFf])+(?:=|%3[Dd]){0,2}/g)].flatMap((match) => {
      const [run] = match;
      if (run.length < BASE64_LEAST) return [];
      const digits = run.replaceAll(/%2b/gi, '+').replaceAll(/%2f/gi, '/').replaceAll('-', '+').replaceAll('_', '/');
      const shows = [0, 1, 2, 3].some((cut) => {
        const decoded = Buffer.from(digits.slice(cut), 'base64').toString('utf8');
        return this.#spansIn(plain(decoded)).length > 0;
      });
      return shows ? [{ from: match.index, to: match.index + run.length }] : [];
    });
  }
}

/** The characters of a text in lower case, with a single blank for blanks and line ends in a row. */
function plain(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const character of text) {
    const to = from + character.length;
    const last = pieces.at(-1);
    if (!/\s/u.test(character)) pieces.push({ character: character.toLocaleLowerCase('en'), from, to });
    else if (last?.character === ' ') last.to = to;
    else pieces.push({ character: ' ', from, to });
    from = to;
  }
  return pieces;
}

/** With the characters that %XX stand for, and blanks in place of + where forms encode them so. */
function decodeUrl(pieces: readonly Piece[], isForm: boolean): Piece[] {
  const decoded: Piece[] = [];
  for (let at = 0; at < pieces.length;) {
    const bytes: number[] = [];
    const first = at;
    for (let byte = byteAt(pieces, at); byte !== undefined; byte = byteAt(pieces, at)) {
      bytes.push(byte);
      at += 3;
    }
    if (bytes.length > 0) {
      decoded.push(...fromBytes(bytes, pieces.slice(first, at)));
      continue;
    }
    const piece = pieces[at++];
    if (piece !== undefined) decoded.push(isForm && piece.character === '+' ? { ...piece, character: ' ' } : piece);
  }
  return decoded;
}

function byteAt(pieces: readonly Piece[], at: number): number | undefined {
  if (pieces[at]?.character !== '%') return undefined;
  const digits = `${pieces[at + 1]?.character ?? ''}${pieces[at + 2]?.character ?? ''}`;
  return /^[0-9a-f]{2}$/.test(digits) ? Number.parseInt(digits, 16) : undefined;
}

/** The characters of UTF-8 bytes, each of which is written in three of the pieces. */
function fromBytes(bytes: readonly number[], pieces: readonly Piece[]): Piece[] {
  let at = 0;
  return Array.from(Buffer.from(bytes).toString('utf8'), (character) => {
    const length = character === '\ufffd' ? 1 : Buffer.byteLength(character);
    const [from, to] = [pieces[at * 3]?.from ?? 0, pieces[Math.min(pieces.length, (at + length) * 3) - 1]?.to ?? 0];
    at += length;
    return { character: character.toLocaleLowerCase('en'), from, to };
  });
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);

function unescapeHtml(pieces: readonly Piece[]): Piece[] {
  const text = pieces.map(({ character }) => (character.length === 1 ? character : '\ufffd')).join('');
  const decoded: Piece[] = [];
  let done = 0;
  for (const match of text.matchAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/g)) {
    const [whole, decimal, hex, name] = match;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const character = name === undefined ? characterOf(code) : NAMED.get(name);
    if (character === undefined) continue;
    const end = match.index + whole.length;
    decoded.push(...pieces.slice(done, match.index));
    decoded.push({ character, from: pieces[match.index]?.from ?? 0, to: pieces[end - 1]?.to ?? 0 });
    done = end;
  }
  return [...decoded, ...pieces.slice(done)];
}

function characterOf(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toLocaleLowerCase('en') : undefined;
}

function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last !== undefined && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else result.push({ ...span });
  }
  return result;
}
