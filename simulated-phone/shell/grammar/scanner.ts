import { ansiQuoted } from './ansi-quoted.js';
import { parseBraced } from './parse-braced.js';
import { ShellSyntaxError, type Node, type Word, type WordPart } from './syntax-tree.js';

export type Token =
  | {
      type: 'word';
      word: Word;
      /** The text, when no part of it is quoted or expanded; only then can it be a keyword. */ plain?: string;
    }
  | { type: 'operator'; operator: string; descriptor?: number }
  | { type: 'newline' }
  | { type: 'end' };

const OPERATORS = [
  '&>>', '<<<', '<<-', '&&', '||', '|&', ';;', ';&', ';|', '<<', '>>', '>&', '<&', '<>', '>|', '&>', ';', '&', '|', '<', '>', '(', ')',
]; // prettier-ignore
const WORD_END = new Set([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')']);
/** Characters that begin a pattern group when a bracket follows. */
const GROUP = new Set(['@', '?', '*', '+', '!']);

const MAX_NESTING = 50;

/** Parses a list of commands inside a word. */
export type ParseInner = (scanner: Scanner) => Node;

/** The end of a run of parts inside a word: the characters at which it stops, and how quotes in it are read. */
export interface PartsUntil {
  stop: string;
  /** Whether it is in double quotes or a here-document, where blanks and single quotes have no meaning. */
  inQuotes: boolean;
}

/**
 * Turns the text of a script into words and operators. `parseInner` parses each `$(...)` when the scanner meets it. So a quoted bracket
 * inside does not end the substitution.
 */
export class Scanner {
  text: string;
  at = 0;
  readonly parseInner: ParseInner;
  /** The aliases: names that stand for a text where a command begins. */
  readonly aliases: ReadonlyMap<string, string>;
  #depth: number;
  #hereDocuments: { delimiter: string; literal: boolean; stripTabs: boolean; resolve: (word: Word) => void }[] = [];
  /** The texts of aliases that are being read. Each ends where `charsLeft` characters are left. */
  #inserted: { name: string; charsLeft: number; isOpen: boolean }[] = [];
  #insertions = 0;
  /** Whether the latest word may be an alias too, because the text of the alias before it ends with a blank. */
  isBehindOpenAlias = false;

  /** `depth` counts the substitutions around this text. Throws ShellSyntaxError when there are too many. */
  constructor(text: string, options: { parseInner: ParseInner; aliases: ReadonlyMap<string, string>; depth?: number }) {
    this.#depth = options.depth ?? 0;
    if (this.#depth > MAX_NESTING) throw new ShellSyntaxError('nested too deeply');
    this.text = text;
    this.parseInner = options.parseInner;
    this.aliases = options.aliases;
  }

  get charsLeft(): number {
    return this.text.length - this.at;
  }

  next(): Token {
    this.#skipBlanks();
    if (this.#inserted.length > 0) this.#leaveAliases();
    const char = this.text[this.at];
    if (char === undefined) {
      this.#readHereDocuments();
      return { type: 'end' };
    }
    if (char === '\n') {
      this.at++;
      this.#readHereDocuments();
      return { type: 'newline' };
    }
    const number = /^\d+(?=[<>])/.exec(this.text.slice(this.at, this.at + 4))?.[0];
    if (number !== undefined) {
      this.at += number.length;
      return { type: 'operator', operator: this.#operator() ?? '>', descriptor: Number(number) };
    }
    const operator = this.#operator();
    if (operator !== undefined) return { type: 'operator', operator };
    return this.#word();
  }

  /** Notes a here-document. Its body is read when the line ends; `resolve` gets it then. */
  expectHereDocument(delimiter: Word, stripTabs: boolean, resolve: (word: Word) => void): void {
    const literal = delimiter.some((part) => part.quoted);
    const text = delimiter.map((part) => (part.type === 'text' ? part.text : '')).join('');
    this.#hereDocuments.push({ delimiter: text, literal, stripTabs, resolve });
  }

  /** Replaces the word that was just read by the text of its alias. Returns false when the word has no alias, or comes from that alias. */
  insertAlias(name: string): boolean {
    const text = this.aliases.get(name);
    if (text === undefined || this.#inserted.some((one) => one.name === name)) return false;
    if (++this.#insertions > MAX_INSERTIONS) throw new ShellSyntaxError('too many aliases');
    this.#inserted.push({ name, charsLeft: this.charsLeft, isOpen: /[ \t]$/.test(text) });
    // The blank keeps the text and the word after it apart.
    this.text = `${text} ${this.text.slice(this.at)}`;
    this.at = 0;
    return true;
  }

  #leaveAliases(): void {
    const left = this.#inserted.filter(({ charsLeft }) => this.charsLeft <= charsLeft);
    this.isBehindOpenAlias = left.some(({ isOpen }) => isOpen);
    this.#inserted = this.#inserted.filter((one) => !left.includes(one));
  }

  /** Reads the text of `((...))` after its first two brackets; undefined when the brackets are those of subshells. */
  arithmeticCommand(): Word | undefined {
    const end = this.#closingBrackets(this.at);
    if (end === undefined) return undefined;
    const word = this.inner(this.text.slice(this.at, end)).quotedParts(undefined);
    this.at = end + 2;
    return word;
  }

  /** Returns a scanner of a part of this text. */
  inner(text: string): Scanner {
    return new Scanner(text, { parseInner: this.parseInner, aliases: this.aliases, depth: this.#depth + 1 });
  }

  /** Runs `parse` one level deeper. Throws ShellSyntaxError when it is too deep. */
  nested<T>(parse: () => T): T {
    if (++this.#depth > MAX_NESTING) throw new ShellSyntaxError('nested too deeply');
    const result = parse();
    this.#depth--;
    return result;
  }

  /** Reads parts up to one of the characters of `stop`, which is not taken. Throws ShellSyntaxError at the end of the text. */
  parts({ stop, inQuotes }: PartsUntil): WordPart[] {
    const parts: WordPart[] = [];
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined) throw unclosed();
      if (stop.includes(char)) return joined(parts);
      this.#part(char, parts, inQuotes);
    }
  }

  /** Reads parts inside double quotes, or to the end of the text when `close` is undefined (here-document). */
  quotedParts(close: '"' | undefined): WordPart[] {
    const parts: WordPart[] = [];
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined) {
        if (close === undefined) return joined(parts);
        throw unclosed();
      }
      if (char === close) {
        this.at++;
        return joined(parts);
      }
      if (char === '\\') {
        const next = this.text[this.at + 1] ?? '';
        this.at += 2;
        if (next === '\n') continue;
        const isSpecial = next !== '' && (close === undefined ? '$`\\' : '$`"\\').includes(next);
        parts.push({ type: 'text', text: isSpecial ? next : `\\${next}`, quoted: true });
      } else if (char === '$' || char === '`') parts.push(this.#expansion(true));
      else {
        parts.push({ type: 'text', text: char, quoted: true });
        this.at++;
      }
    }
  }

  #readHereDocuments(): void {
    for (const { delimiter, literal, stripTabs, resolve } of this.#hereDocuments.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        if (this.at >= this.text.length)
          throw new ShellSyntaxError(`here document '${delimiter}' unclosed`, { incomplete: true });
        const end = this.text.indexOf('\n', this.at);
        let line = this.text.slice(this.at, end < 0 ? undefined : end);
        this.at = end < 0 ? this.text.length : end + 1;
        if (stripTabs) line = line.replace(/^\t+/, '');
        if (line === delimiter) break;
        lines.push(`${line}\n`);
      }
      const body = lines.join('');
      resolve(literal ? [{ type: 'text', text: body, quoted: true }] : this.inner(body).quotedParts(undefined));
    }
  }

  #skipBlanks(): void {
    for (;;) {
      const char = this.text[this.at];
      if (char === ' ' || char === '\t' || char === '\r') this.at++;
      else if (char === '\\' && this.text[this.at + 1] === '\n') this.at += 2;
      else if (char === '#') while (this.at < this.text.length && this.text[this.at] !== '\n') this.at++;
      else return;
    }
  }

  #operator(): string | undefined {
    const found = OPERATORS.find((operator) => this.text.startsWith(operator, this.at));
    if (found !== undefined) this.at += found.length;
    return found;
  }

  #word(): Token {
    const parts: WordPart[] = [];
    const start = this.at;
    let isPlain = true;
    for (let char = this.text[this.at]; char !== undefined; char = this.text[this.at]) {
      if (char === '[' && isPlain) {
        const element = this.#element(this.text.slice(start, this.at));
        if (element) {
          parts.splice(0, parts.length, element);
          isPlain = false;
          continue;
        }
      }
      if (GROUP.has(char) && this.text[this.at + 1] === '(') {
        this.#group(parts);
        isPlain = false;
        continue;
      }
      if (WORD_END.has(char)) break;
      if (!this.#part(char, parts, false)) isPlain = false;
    }
    const word = joined(parts);
    return isPlain ? { type: 'word', word, plain: this.text.slice(start, this.at) } : { type: 'word', word };
  }

  /** Takes one part of a word. Returns whether it is a character that stands for itself. */
  #part(char: string, parts: WordPart[], inQuotes: boolean): boolean {
    if (char === "'" && !inQuotes) parts.push(this.#singleQuoted());
    else if (char === '"') {
      this.at++;
      const inner = this.quotedParts('"');
      // `""` is an empty word; `"$@"` without arguments is no word.
      if (inner.length === 0) parts.push({ type: 'text', text: '', quoted: true });
      for (const part of inner) parts.push(part);
    } else if (char === '\\') {
      const next = this.text[this.at + 1];
      this.at += 2;
      if (next === '\n') return false;
      const isTaken = next !== undefined && (!inQuotes || '$`"\\}'.includes(next));
      parts.push({ type: 'text', text: isTaken ? next : `\\${inQuotes ? (next ?? '') : ''}`, quoted: true });
    } else if (char === '$' && this.text[this.at + 1] === "'" && !inQuotes) {
      const { text, end } = ansiQuoted(this.text, this.at + 2);
      this.at = end;
      parts.push({ type: 'text', text, quoted: true });
    } else if (char === '$' && this.text[this.at + 1] === '"' && !inQuotes) {
      this.at++;
      return this.#part('"', parts, inQuotes);
    } else if (char === '$' || char === '`') parts.push(this.#expansion(inQuotes));
    else {
      parts.push({ type: 'text', text: char, quoted: inQuotes });
      this.at++;
      return true;
    }
    return false;
  }

  /** Reads `@(a|b)` with the patterns in it, which may hold blanks and quotes. */
  #group(parts: WordPart[]): void {
    parts.push({ type: 'text', text: `${this.text[this.at] ?? ''}(`, quoted: false });
    this.at += 2;
    this.nested(() => {
      for (;;) {
        const char = this.text[this.at];
        if (char === undefined) throw unclosed();
        if (char === ')') break;
        if (GROUP.has(char) && this.text[this.at + 1] === '(') this.#group(parts);
        else this.#part(char, parts, false);
      }
    });
    parts.push({ type: 'text', text: ')', quoted: false });
    this.at++;
  }

  /** Reads `name[subscript]` when `=` or `+=` follows. */
  #element(name: string): WordPart | undefined {
    if (!/^[A-Za-z_]\w*$/.test(name)) return undefined;
    let depth = 0;
    for (let end = this.at; end < Math.min(this.text.length, this.at + MAX_SUBSCRIPT_CHARS); end++) {
      const char = this.text[end];
      if (char === '\n') return undefined;
      if (char === '[') depth++;
      if (char !== ']' || --depth > 0) continue;
      if (!/^\+?=/.test(this.text.slice(end + 1, end + 3))) return undefined;
      const subscript = this.inner(this.text.slice(this.at + 1, end)).quotedParts(undefined);
      this.at = end + 1;
      return { type: 'element', name, subscript, quoted: false };
    }
    return undefined;
  }

  #singleQuoted(): WordPart {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) throw unclosed();
    const text = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return { type: 'text', text, quoted: true };
  }

  #expansion(quoted: boolean): WordPart {
    if (this.text[this.at] === '`') return this.#backquoted(quoted);
    const rest = this.text.slice(this.at, this.at + 3);
    if (rest === '$((') {
      const end = this.#closingBrackets(this.at + 3);
      if (end !== undefined) {
        const inner = this.inner(this.text.slice(this.at + 3, end));
        this.at = end + 2;
        return { type: 'arithmetic', expression: inner.quotedParts(undefined), quoted };
      }
    }
    if (rest.startsWith('$(')) {
      this.at += 2;
      return { type: 'substitution', body: this.nested(() => this.parseInner(this)), quoted };
    }
    if (rest.startsWith('${')) {
      this.at += 2;
      return this.nested(() => parseBraced(this, quoted));
    }
    const name = /^\$([A-Za-z_]\w*|[0-9?#$!@*-])/.exec(this.text.slice(this.at, this.at + 256))?.[1];
    if (name === undefined) {
      this.at++;
      return { type: 'text', text: '$', quoted };
    }
    this.at += 1 + name.length;
    return { type: 'parameter', name, quoted };
  }

  #backquoted(quoted: boolean): WordPart {
    let inner = '';
    for (this.at++; ; this.at++) {
      const char = this.text[this.at];
      if (char === undefined) throw unclosed();
      if (char === '`') break;
      if (char === '\\' && (quoted ? '`$\\"' : '`$\\').includes(this.text[this.at + 1] ?? ' ')) this.at++;
      inner += this.text[this.at] ?? '';
    }
    this.at++;
    return { type: 'substitution', body: this.parseInner(this.inner(`${inner}\n)`)), quoted };
  }

  /**
   * Returns the place of the `))` that closes the two brackets before `start`. Returns undefined when the closing brackets are not side by
   * side, as in `) )`. Throws ShellSyntaxError when they are missing.
   */
  #closingBrackets(start: number): number | undefined {
    let depth = 0;
    for (let end = start; ; end++) {
      const char = this.text[end];
      if (char === undefined) throw new ShellSyntaxError("syntax error: missing '))'", { incomplete: true });
      if (char === '\\') end++;
      else if (char === "'" || char === '"') {
        const close = this.text.indexOf(char, end + 1);
        if (close < 0) throw unclosed();
        end = close;
      } else if (char === '(') depth++;
      else if (char === ')' && depth-- === 0) return this.text[end + 1] === ')' ? end : undefined;
    }
  }
}

const MAX_SUBSCRIPT_CHARS = 4_096;
/** Most insertions of aliases, as aliases of aliases can double a text with each level. */
const MAX_INSERTIONS = 500;

function unclosed(): ShellSyntaxError {
  return new ShellSyntaxError('syntax error: unterminated quoted string', { incomplete: true });
}

/** Joins neighbouring texts of the same kind. */
function joined(parts: readonly WordPart[]): WordPart[] {
  const result: WordPart[] = [];
  let texts: string[] = [];
  let quoted = false;
  const flush = (): void => {
    if (texts.length > 0) result.push({ type: 'text', text: texts.join(''), quoted });
    texts = [];
  };
  for (const part of parts) {
    if (part.type !== 'text' || part.quoted !== quoted) flush();
    if (part.type === 'text') {
      texts.push(part.text);
      ({ quoted } = part);
    } else result.push(part);
  }
  flush();
  return result;
}
