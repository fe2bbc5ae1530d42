import { plainView } from './text-view.js';

/** A piece of this many characters shows a secret. Where a text is visibly cut off, half of the secret suffices if that is shorter. */
const MIN_PIECE = 6;

/** The shortest piece that counts: in a text, and in decoded bytes, where three characters often agree by chance. */
const MIN_CUT = 3;
const MIN_ENCODED = 4;

/**
 * A secret of fewer characters is hidden wherever it occurs. A longer secret, below `MIN_PIECE`, is hidden only as a whole word or number.
 * If it mixes letters and digits, it is hidden everywhere, too.
 */
const MIN_WORD = 4;

/** The longest cut-off piece that is compared as a whole. A longer piece is found by a run of its characters. */
const MAX_CUT_CHARS = 40;

/** A shorter piece of letters alone may be an ordinary word. It counts only where it stands like a value (`isValue`). */
const MIN_SURE = 10;

/** A phrase has at least `PHRASE_WORDS` words. One word does not show it, unless the word is more than `WORD_SHARE` of the phrase. */
const PHRASE_WORDS = 4;
const WORD_SHARE = 1 / 3;

/** An e-mail address. Its domain is captured, because other people's addresses have the same domain. */
const ADDRESS = /^[^@\s]{3,}@((?:[a-z\d-]+\.)+[a-z]{2,})$/i;

/** Decides which parts of a text show one secret. All texts have the form that `plainView` returns, and upper and lower case differ. */
export class SecretPattern {
  /** The secret itself. */
  readonly whole: string;
  /**
   * The secret without blanks and hyphens, if it is a code of digits and capitals, such as an account number. Undefined: it is no such
   * code.
   */
  readonly code: string | undefined;
  readonly #words: ReadonlySet<string>;
  readonly #isPhrase: boolean;
  readonly #domain: string;
  readonly #cutLeast: number;

  constructor(secret: string) {
    const whole = plainView(secret).text.trim();
    this.whole = whole;
    const code = whole.replaceAll(/[ -]/g, '');
    const digits = code.replaceAll(/\D/g, '').length;
    this.code = /^[\p{Lu}\d]{6,}$/u.test(code) && digits * 3 >= code.length ? code : undefined;
    const words = wordsOf(whole);
    this.#words = new Set(words);
    this.#isPhrase = words.length >= PHRASE_WORDS && /\s/.test(whole);
    this.#domain = ADDRESS.exec(whole)?.[1] ?? '';
    this.#cutLeast = Math.min(MIN_PIECE, Math.max(MIN_CUT, Math.ceil(whole.length / 2)));
  }

  /** The length of the runs of characters by which pieces of the secret are found. Undefined: the secret is too short to have pieces. */
  get runLength(): number | undefined {
    return this.whole.length >= MIN_PIECE ? MIN_PIECE : undefined;
  }

  /** The length of such runs in decoded bytes, which contain no ordinary words by chance. Undefined: the secret is too short. */
  get encodedLength(): number | undefined {
    if (this.whole.length < MIN_CUT) return undefined;
    const half = Math.max(MIN_ENCODED, Math.ceil(this.whole.length / 2));
    return Math.min(MIN_PIECE, half, this.whole.length);
  }

  /** Whether the whole secret, found in a text at `from`, counts. A short secret does not count inside another word or number. */
  isWholeAt(text: string, from: number): boolean {
    const { length } = this.whole;
    if (length < MIN_WORD || length >= MIN_PIECE || kindOf(this.whole) === 'mixed') return true;
    return !isInside(text, from, from + length);
  }

  /**
   * Whether a run of characters that is in both the text and the secret shows a piece of the secret. A run inside another word or number
   * does not count ("Password" for password1). Nor does a short word among other words ("Jonas Hunter" for Hunter2!). A single word of a
   * phrase ("battery") and the domain of an address do not count either.
   */
  isPiece(text: string, from: number, to: number): boolean {
    const run = text.slice(from, to);
    if (kindOf(run) === 'mixed' && !/\s/.test(run)) return !this.#isPublic(run);
    let [first, last] = [from, to];
    if (first > 0 && isSameKind(text[first - 1], text[first])) {
      const kind = kindOf(text[first]);
      while (first < last && kindOf(text[first]) === kind) first++;
    }
    if (last > first && isSameKind(text[last - 1], text[last])) {
      const kind = kindOf(text[last - 1]);
      while (first < last && kindOf(text[last - 1]) === kind) last--;
    }
    const rest = text.slice(first, last).trim();
    const core = withoutSigns(rest);
    if (rest.length < MIN_PIECE || this.#isPublic(rest) || this.#isWordOfPhrase(core)) return false;
    return core.length >= MIN_SURE || !/^\p{L}+$/u.test(core) || isValue(text, first, last);
  }

  /** Yields the lengths of the beginnings and ends of the secret that count where a text is visibly cut off. */
  *cutLengths(): Generator<number, void, undefined> {
    for (let length = this.#cutLeast; length < this.whole.length && length <= MAX_CUT_CHARS; length++) yield length;
  }

  /** Whether a word of both letters and digits is a short piece of the secret. Such a word hardly occurs by chance. */
  isShortPiece(word: string): boolean {
    return word.length >= this.#cutLeast && word.length < MIN_PIECE && this.whole.includes(word);
  }

  /** Whether a piece is only the domain of the secret's e-mail address, or a part of that domain. */
  #isPublic(piece: string): boolean {
    return this.#domain !== '' && `@${this.#domain}`.includes(piece);
  }

  #isWordOfPhrase(core: string): boolean {
    return this.#isPhrase && this.#words.has(core) && core.length <= this.whole.length * WORD_SHARE;
  }
}

/**
 * Whether a part of a text stands like a value. It is at the start, or after a sign such as a colon or a quotation mark. No word may follow,
 * and no comma with a blank.
 */
function isValue(text: string, from: number, to: number): boolean {
  const before = text.slice(Math.max(0, from - VALUE_REST), from).trimEnd();
  const after = text.slice(to, to + VALUE_REST).trimStart();
  return (
    (before === '' || /[^\p{L}\p{M}\p{N},;.!?)–-]$/u.test(before)) &&
    !/^[\p{L}\p{N}]/u.test(after) &&
    !/^, /.test(after)
  );
}

/** The number of characters on each side of a part that `isValue` looks at. */
const VALUE_REST = 4;

/**
 * Returns the text from its first letter or digit to its last one. A loop finds the end: on a long row of signs, a regular expression would
 * search again from each sign.
 */
function withoutSigns(text: string): string {
  const from = text.search(/[\p{L}\p{N}]/u);
  if (from < 0) return '';
  let to = text.length;
  while (!/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, to - 2), to))) to--;
  return text.slice(from, to);
}

/** Returns the words of a text: its runs of letters, marks and digits. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** Whether a part of a text is only a section of a longer word or number. */
function isInside(text: string, from: number, to: number): boolean {
  return isSameKind(text[from - 1], text[from]) || isSameKind(text[to - 1], text[to]);
}

export function isSameKind(one: string | undefined, other: string | undefined): boolean {
  const kind = kindOf(one);
  return kind !== 'other' && kind === kindOf(other);
}

/** Whether a text has letters, digits, both, or neither. */
export function kindOf(text: string | undefined): 'letters' | 'digits' | 'mixed' | 'other' {
  if (text === undefined) return 'other';
  const [letters, digits] = [/\p{L}/u.test(text), /\p{N}/u.test(text)];
  if (letters && digits) return 'mixed';
  return letters ? 'letters' : digits ? 'digits' : 'other';
}
