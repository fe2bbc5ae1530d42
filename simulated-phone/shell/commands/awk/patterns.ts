import { BadPattern, linearPattern, type LinearPattern } from '../../../patterns/linear-pattern.js';
import { AwkError } from './awk-error.js';

/** Most compiled expressions that are kept. */
const MAX_KEPT_PATTERNS = 50;
/** The most steps of one match: its states times its characters. Nothing else runs meanwhile, which takes about 0.1 s at worst. */
const MAX_STEPS = 2_000_000;
const CONTROLS: Readonly<Record<string, string>> = { n: '\\n', t: '\\t', f: '\\f', r: '\\r', v: '\\v', b: '\\x08', a: '\\x07' }; // prettier-ignore

/**
 * The regular expressions of a program, each compiled once. They match in linear time; of several matches the longest counts, as in POSIX.
 */
export class Patterns {
  readonly #compiled = new Map<string, LinearPattern>();

  has(source: string): boolean {
    return this.#compiled.has(source);
  }

  /** Returns a compiled expression. Throws AwkError where it is not valid. */
  of(source: string): LinearPattern {
    let pattern = this.#compiled.get(source);
    if (pattern) return pattern;
    try {
      pattern = linearPattern(translated(source), { longest: true, dotAll: true, maxSteps: MAX_STEPS });
    } catch (error) {
      if (!(error instanceof BadPattern)) throw error;
      throw new AwkError(`illegal regular expression ${source.slice(0, 200)}`);
    }
    const [oldest] = this.#compiled.keys();
    if (this.#compiled.size >= MAX_KEPT_PATTERNS && oldest !== undefined) this.#compiled.delete(oldest);
    this.#compiled.set(source, pattern);
    return pattern;
  }
}

/** Translates an expression of awk into the syntax of RE2, in which escapes and repetitions differ. */
function translated(source: string): string {
  let result = '';
  let canRepeat = false;
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at, at + MAX_PIECE_CHARS);
    const repetition = /^[*+?]+/.exec(rest)?.[0] ?? /^\{\d+(?:,\d*)?\}/.exec(rest)?.[0];
    const set = source[at] === '[' ? setAt(source, at) : undefined;
    if (repetition !== undefined && canRepeat) {
      result += /^[*+?]/.test(repetition) ? oneRepetition(repetition) : repetition;
      at += repetition.length;
      // A group keeps RE2 from reading a second repetition as something else, as in `a*{2}`.
      if (/^[*+?{]/.test(source.slice(at, at + 1))) result = `(?:${result})`;
    } else if (set) {
      result += set.text;
      at = set.end;
      canRepeat = true;
    } else if (source[at] === '\\') {
      const { text, length } = escapeAt(rest);
      result += text;
      at += length;
      canRepeat = true;
    } else {
      const char = source[at] ?? '';
      if (char === '(' && source[at + 1] === '?') throw new BadPattern('not understood');
      const isLiteral = '*+?{}'.includes(char);
      result += isLiteral ? `\\${char}` : char;
      at++;
      canRepeat = !'(|^'.includes(char);
    }
  }
  return result;
}

const MAX_PIECE_CHARS = 32;

/** Merges several repetition signs into one. In awk `a*?` repeats `a*`, but RE2 reads it as a lazy repetition. */
function oneRepetition(signs: string): string {
  return Array.from(signs).every((sign) => sign === signs[0]) ? (signs[0] ?? '') : '*';
}

function escapeAt(rest: string): { text: string; length: number } {
  const octal = /^\\([0-7]{1,3})/.exec(rest);
  if (octal) return { text: hexOf(parseInt(octal[1] ?? '', 8) & 0xff), length: octal[0].length };
  const char = String.fromCodePoint(rest.codePointAt(1) ?? 0x5c);
  const text = CONTROLS[char] ?? (/^[A-Za-z0-9]$/.test(char) || char > '~' ? char : `\\${char}`);
  return { text, length: rest.length === 1 ? 1 : 1 + char.length };
}

/**
 * Reads a set in brackets. A closing bracket at the start of the set is a character of the set. Throws BadPattern where the set does not
 * end.
 */
function setAt(source: string, start: number): { text: string; end: number } {
  let at = start + 1;
  let text = '[';
  if (source[at] === '^') text += source[at++] ?? '';
  for (let isFirst = true; isFirst || source[at] !== ']'; isFirst = false) {
    const rest = source.slice(at, at + MAX_PIECE_CHARS);
    if (rest === '') throw new BadPattern('not understood');
    const named = /^\[:[a-z]+:\]/.exec(rest)?.[0];
    if (named !== undefined) {
      text += named;
      at += named.length;
    } else if (rest.startsWith('\\') && rest.length > 1) {
      const escape = escapeAt(rest);
      text += escape.text;
      at += escape.length;
    } else {
      text += '[]\\&~'.includes(rest[0] ?? '') ? `\\${rest[0] ?? ''}` : (rest[0] ?? '');
      at++;
    }
  }
  return { text: `${text}]`, end: at + 1 };
}

function hexOf(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`;
}
