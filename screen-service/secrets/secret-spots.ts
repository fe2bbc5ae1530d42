import { inOneLine, wasShownBefore } from './shown-before.js';
import { FoundSpots, type Spot } from './found-spots.js';
import type { SearchWork } from './search-work.js';
import type { Secret, TextKind } from './secret.js';
import { isSameKind, kindOf, SecretPattern } from './secret-pattern.js';
import { plainView, type Span, type TextView, ungroupedView, viewsOf } from './text-view.js';

/** Four bytes take six base64 digits without padding, and eight hexadecimal digits. Shorter runs are not decoded. */
const MIN_BASE64 = 6;
const HEX = /(?:[0-9a-f]{2}){4,}/gi;
// The expression has one character class and no group. A repeated group takes stack space per repetition, which a long text would exhaust.
const BASE64 = /[A-Za-z0-9+/_%-]+={0,2}/g;
/** A percent sign that encodes neither `+` nor `/`: base64 ends there. */
const OTHER_ESCAPE = /%(?!2[bf])/i;

/** Where a text shows that it was cut off, or that its rest is covered. */
const CUT = /…|\.{2,}|[•●∙·*]{2,}/g;

/** The shortest beginning of a secret that counts as a value after a colon or an equals sign. Shorter ones occur by chance. */
const MIN_VALUE = 4;

/** The shortest piece of a grouped code that counts, in characters without separators. Other numbers in groups often have six figures. */
const MIN_GROUPED = 8;

/** How many characters before a value, and at its end, are searched for quotation marks, blanks and the colon. */
const VALUE_REST = 4;

/** The number of characters by which a long secret is searched for first. */
const HEAD_LENGTH = 16;

/** The least work that is counted for a cut-off piece, a run of a secret's characters, and decoded bytes, in characters. */
const CUT_WORK = 2;
const RUN_WORK = 10;
const DECODED_WORK = 10;

/** A secret with its pattern. */
interface Sought {
  secret: Secret;
  pattern: SecretPattern;
}

/** The patterns, which are made once for each secret, and forgotten with it. */
const patterns = new WeakMap<Secret, SecretPattern>();

function patternOf(secret: Secret): SecretPattern {
  const pattern = patterns.get(secret) ?? new SecretPattern(secret.text);
  patterns.set(secret, pattern);
  return pattern;
}

/**
 * Finds what texts show of secrets: a secret as a whole, its encodings, and pieces (`SecretPattern`). Texts that the screen showed before
 * the secret was typed do not count. All work is counted, and ends at its bound.
 */
export class SecretFinder {
  readonly #sought: readonly Sought[];
  readonly #runs: Runs;
  readonly #encodedRuns: Runs;
  /** Account numbers and codes, without the blanks and hyphens between their groups. */
  readonly #codes: readonly Sought[];
  readonly #codeRuns: Runs;
  readonly #beginnings = new Pieces();
  readonly #ends = new Pieces();

  constructor(secrets: readonly Secret[]) {
    this.#sought = secrets
      .map((secret) => ({ secret, pattern: patternOf(secret) }))
      .filter(({ pattern }) => pattern.whole !== '');
    this.#runs = new Runs(this.#sought, ({ runLength }) => runLength);
    this.#encodedRuns = new Runs(this.#sought, ({ encodedLength }) => encodedLength);
    this.#codes = this.#sought.flatMap(({ secret, pattern: { code } }) =>
      code === undefined ? [] : [{ secret, pattern: new SecretPattern(code) }],
    );
    this.#codeRuns = new Runs(this.#codes, ({ runLength }) => runLength);
    for (const sought of this.#sought) {
      const { whole } = sought.pattern;
      for (const length of sought.pattern.cutLengths()) {
        this.#beginnings.add(whole.slice(0, length), sought);
        this.#ends.add(whole.slice(-length), sought);
      }
    }
  }

  /** Whether there is no secret to find. */
  get isEmpty(): boolean {
    return this.#sought.length === 0;
  }

  /**
   * Returns the parts of the text that show something of a secret, in order and without overlaps. If the search takes too much work, the
   * whole text is returned.
   */
  find(text: string, kind: TextKind, work: SearchWork): Span[] {
    const spots = this.spots(text, kind, work);
    if (spots === undefined) return [{ from: 0, to: text.length }];
    if (spots.length === 0) return [];
    const line = inOneLine(text);
    return joined(spots.filter((spot) => !wasShownBefore({ text, line, ...kind }, spot)));
  }

  /**
   * Returns every part of the text that looks like a secret, also those that the screen showed before. Undefined: the search takes too much
   * work.
   */
  spots(text: string, kind: TextKind, work: SearchWork): readonly Spot[] | undefined {
    if (this.#sought.length === 0 || text === '') return [];
    const spots = new FoundSpots(work);
    for (const view of viewsOf(text, work)) {
      this.#addWhole(view, spots);
      this.#addPieces(view, spots);
      this.#addCut(view, kind, spots);
      if (this.#codes.length > 0 && /\d/.test(view.text)) this.#addCodes(view, spots);
      if (spots.isOver) return undefined;
    }
    // A text beyond the bound has no views, so the loop has not returned for it.
    if (work.isOver) return undefined;
    this.#addBytes(text, spots);
    return spots.isOver ? undefined : spots.all;
  }

  #addWhole(view: TextView, spots: FoundSpots): void {
    for (const { secret, pattern } of this.#sought) {
      for (const at of placesOf(view.text, pattern.whole, spots)) {
        if (pattern.isWholeAt(view.text, at))
          spots.add(spotIn(view, at, at + pattern.whole.length, { secret, isWhole: true }));
      }
    }
  }

  #addPieces(view: TextView, spots: FoundSpots): void {
    for (const [{ secret, pattern }, from, to] of this.#runs.in(view.text, spots)) {
      if (!spots.spend(RUN_WORK + to - from)) return;
      if (view.text.slice(from, to) === pattern.whole || !pattern.isPiece(view.text, from, to)) continue;
      spots.add(spotIn(view, from, to, { secret, isWhole: false }));
    }
    for (const match of view.text.matchAll(/[\p{L}\p{N}]+/gu)) {
      const [word] = match;
      if (!spots.spend(1)) return;
      if (word.length >= MIN_BASE64 || kindOf(word) !== 'mixed') continue;
      if (!spots.spend(this.#sought.length)) return;
      for (const { secret, pattern } of this.#sought) {
        if (pattern.isShortPiece(word))
          spots.add(spotIn(view, match.index, match.index + word.length, { secret, isWhole: false }));
      }
    }
  }

  /**
   * Adds short pieces of secrets where the text looks cut off. Such a piece stands beside an ellipsis or dots, or fills a field. It may
   * also end the text, as a value after a colon or an equals sign.
   */
  #addCut(view: TextView, { isField }: TextKind, spots: FoundSpots): void {
    const { text } = view;
    const add = (all: readonly Sought[], from: number, to: number): void => {
      for (const { secret } of all) spots.add(spotIn(view, from, to, { secret, isWhole: false }));
    };
    for (const { 0: cut, index } of text.matchAll(CUT)) {
      if (!spots.spend(CUT_WORK * (this.#beginnings.lengths.size + this.#ends.lengths.size))) return;
      const [before, after] = [blanksBefore(text, index), blanksAfter(text, index + cut.length)];
      for (const length of this.#beginnings.lengths) {
        const from = before - length;
        if (from >= 0 && !isSameKind(text[from - 1], text[from]))
          add(this.#beginnings.of(text.slice(from, before)), from, before);
      }
      for (const length of this.#ends.lengths) {
        const to = after + length;
        if (!isSameKind(text[to - 1], text[to])) add(this.#ends.of(text.slice(after, to)), after, to);
      }
    }
    if (isField) add(this.#beginnings.of(text.trim()), 0, text.length);
    const end = /[ "']*$/.exec(text.slice(-VALUE_REST))?.[0].length ?? 0;
    for (const length of this.#beginnings.lengths) {
      const [from, to] = [text.length - end - length, text.length - end];
      if (length >= MIN_VALUE && from > 0 && /[:=] ?["']?$/.test(text.slice(Math.max(0, from - VALUE_REST), from)))
        add(this.#beginnings.of(text.slice(from, to)), from, to);
    }
  }

  #addCodes(view: TextView, spots: FoundSpots): void {
    if (!spots.spend(view.text.length)) return;
    const ungrouped = ungroupedView(view);
    const { text } = ungrouped;
    for (const { secret, pattern } of this.#codes) {
      for (const at of placesOf(text, pattern.whole, spots))
        spots.add(spotIn(ungrouped, at, at + pattern.whole.length, { secret, isWhole: true }));
    }
    for (const [{ secret, pattern }, from, to] of this.#codeRuns.in(text, spots)) {
      if (!spots.spend(RUN_WORK + to - from)) return;
      const isGrouped = (ungrouped.to[to - 1] ?? 0) - (ungrouped.from[from] ?? 0) > to - from;
      if (isGrouped && to - from < MIN_GROUPED) continue;
      if (pattern.isPiece(text, from, to)) spots.add(spotIn(ungrouped, from, to, { secret, isWhole: false }));
    }
  }

  /** Adds each whole run of base64 or hexadecimal digits that encodes a secret or a piece of it, at any offset. */
  #addBytes(text: string, spots: FoundSpots): void {
    for (const { 0: escaped, index } of text.matchAll(BASE64)) {
      let from = index;
      for (const run of escaped.split(OTHER_ESCAPE)) {
        if (!spots.spend(1)) return;
        const place = { from, to: from + run.length };
        from = place.to + 1;
        if (run.length < MIN_BASE64) continue;
        const digits = run.replaceAll(/%2b/gi, '+').replaceAll(/%2f/gi, '/').replaceAll('-', '+').replaceAll('_', '/');
        for (const cut of [0, 1, 2, 3]) this.#addDecoded(Buffer.from(digits.slice(cut), 'base64'), place, spots);
      }
    }
    for (const { 0: run, index: from } of text.matchAll(HEX)) {
      const place = { from, to: from + run.length };
      for (const cut of [0, 1]) this.#addDecoded(Buffer.from(run.slice(cut), 'hex'), place, spots);
    }
  }

  #addDecoded(bytes: Buffer, place: { from: number; to: number }, spots: FoundSpots): void {
    if (!spots.spend(DECODED_WORK + bytes.length)) return;
    const decoded = plainView(bytes.toString('utf8')).text;
    // Everything in the bytes has the same place in the text, so one look at each secret is enough.
    const shown = new Set<Sought>();
    for (const [sought] of this.#encodedRuns.in(decoded, spots)) shown.add(sought);
    for (const { secret, pattern } of shown) {
      if (!spots.spend(decoded.length)) return;
      const isWhole = placesOf(decoded, pattern.whole, spots).next().done !== true;
      spots.add({ ...place, secret, isWhole, isEncoded: true });
    }
  }
}

/** Finds parts of a text that are also in a secret. They are found by pieces of a fixed length, which depends on the secret. */
class Runs {
  readonly #byLength = new Map<number, Map<string, Sought[]>>();

  constructor(all: readonly Sought[], lengthOf: (pattern: SecretPattern) => number | undefined) {
    for (const sought of all) {
      const length = lengthOf(sought.pattern);
      if (length === undefined) continue;
      const parts = this.#byLength.get(length) ?? new Map<string, Sought[]>();
      this.#byLength.set(length, parts);
      const { whole } = sought.pattern;
      for (let at = 0; at + length <= whole.length; at++) {
        const part = whole.slice(at, at + length);
        const known = parts.get(part);
        if (known === undefined) parts.set(part, [sought]);
        else if (known.at(-1) !== sought) known.push(sought);
      }
    }
  }

  /** Yields each run in a text, with its secret and its place. */
  *in(text: string, spots: FoundSpots): Generator<[Sought, number, number], void, undefined> {
    for (const [length, parts] of this.#byLength) {
      if (!spots.spend(text.length)) return;
      const open = new Map<Sought, { from: number; to: number }>();
      for (let at = 0; at + length <= text.length; at++) {
        const found = parts.get(text.slice(at, at + length));
        if (found === undefined) continue;
        if (!spots.spend(found.length)) return;
        for (const sought of found) {
          const run = open.get(sought);
          if (run !== undefined && run.to - length + 1 === at) {
            run.to = at + length;
            continue;
          }
          if (run !== undefined) yield [sought, run.from, run.to];
          open.set(sought, { from: at, to: at + length });
        }
      }
      for (const [sought, { from, to }] of open) yield [sought, from, to];
    }
  }
}

/** Beginnings or ends of secrets. */
class Pieces {
  readonly lengths = new Set<number>();
  readonly #all = new Map<string, Sought[]>();

  add(piece: string, sought: Sought): void {
    this.lengths.add(piece.length);
    const known = this.#all.get(piece);
    if (known === undefined) this.#all.set(piece, [sought]);
    else known.push(sought);
  }

  of(piece: string): readonly Sought[] {
    return this.#all.get(piece) ?? [];
  }
}

/** Returns the place of a part of a view in the text itself, without blanks at its ends. */
function spotIn(
  { text, from: begins, to: ends, isEncoded }: TextView,
  from: number,
  to: number,
  shown: { secret: Secret; isWhole: boolean },
): Spot {
  let [first, last] = [from, to];
  while (first < last - 1 && text[first] === ' ') first++;
  while (last > first + 1 && text[last - 1] === ' ') last--;
  return { from: begins[first] ?? 0, to: ends[last - 1] ?? 0, isEncoded, ...shown };
}

/**
 * Yields the places of a part, without overlaps. An overlapping place is found as a piece of the secret instead. A long part is searched
 * for by its first characters, and each comparison with the whole part is counted. At worst, the whole part is compared at each place of
 * the text.
 */
function* placesOf(text: string, part: string, spots: FoundSpots): Generator<number, void, undefined> {
  const head = part.slice(0, HEAD_LENGTH);
  let at = text.indexOf(head);
  while (at >= 0 && spots.spend(Math.ceil(part.length / HEAD_LENGTH))) {
    const isHere = text.startsWith(part, at);
    if (isHere) yield at;
    at = text.indexOf(head, at + (isHere ? part.length : 1));
  }
}

function blanksBefore(text: string, at: number): number {
  return text[at - 1] === ' ' ? at - 1 : at;
}

function blanksAfter(text: string, at: number): number {
  return text[at] === ' ' ? at + 1 : at;
}

function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}
