import { ShellSyntaxError, type Node, type Word, type WordPart } from './syntax-tree.js';

export type Token =
  | {
      type: 'word';
      word: Word;
      /** The text when nothing in it is quoted or expanded; only then can it be a keyword. */ plain?: string;
    }
  | { type: 'operator'; operator: string; descriptor?: number }
  | { type: 'newline' }
  | { type: 'end' };

const OPERATORS = ['<<-', '&&', '||', ';;', '<<', '>>', '>&', '<&', '>|', '&>', ';', '&', '|', '<', '>', '(', ')'];
const WORD_END = new Set([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')']);

const MAX_SUBSTITUTIONS = 50;

/**
 * Turns the text of a script into words and operators. Command substitutions are parsed on the spot by `parseInner`, so that
 * a bracket inside a quote inside `$(...)` does not end it.
 */
export class Scanner {
  readonly text: string;
  at = 0;
  readonly #parseInner: (scanner: Scanner) => Node;
  #depth: number;
  #hereDocuments: { delimiter: string; literal: boolean; stripTabs: boolean; resolve: (word: Word) => void }[] = [];

  /** `depth` counts the substitutions around this text. Throws ShellSyntaxError when there are too many. */
  constructor(text: string, parseInner: (scanner: Scanner) => Node, depth = 0) {
    if (depth > MAX_SUBSTITUTIONS) throw new ShellSyntaxError('nested too deeply');
    this.text = text;
    this.#parseInner = parseInner;
    this.#depth = depth;
  }

  next(): Token {
    this.#skipBlanks();
    const char = this.text[this.at];
    if (char === undefined) return { type: 'end' };
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

  /** The body is read when the line ends; `resolve` gets it then. */
  expectHereDocument(delimiter: Word, stripTabs: boolean, resolve: (word: Word) => void): void {
    const literal = delimiter.some((part) => part.quoted);
    const text = delimiter.map((part) => (part.type === 'text' ? part.text : '')).join('');
    this.#hereDocuments.push({ delimiter: text, literal, stripTabs, resolve });
  }

  #readHereDocuments(): void {
    for (const { delimiter, literal, stripTabs, resolve } of this.#hereDocuments.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        if (this.at >= this.text.length) break;
        const end = this.text.indexOf('\n', this.at);
        let line = this.text.slice(this.at, end < 0 ? undefined : end);
        this.at = end < 0 ? this.text.length : end + 1;
        if (stripTabs) line = line.replace(/^\t+/, '');
        if (line === delimiter) break;
        lines.push(`${line}\n`);
      }
      const body = lines.join('');
      if (literal) resolve([{ type: 'text', text: body, quoted: true }]);
      else resolve(new Scanner(body, this.#parseInner, this.#depth + 1).#quotedParts(undefined));
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
    let plain: string | undefined = '';
    const start = this.at;
    for (let char = this.text[this.at]; char !== undefined && !WORD_END.has(char); char = this.text[this.at]) {
      if (char === "'") parts.push(this.#singleQuoted());
      else if (char === '"') {
        this.at++;
        parts.push({ type: 'text', text: '', quoted: true });
        for (const part of this.#quotedParts('"')) parts.push(part);
      } else if (char === '\\') {
        const next = this.text[this.at + 1];
        this.at += 2;
        if (next === '\n') continue;
        parts.push({ type: 'text', text: next ?? '\\', quoted: true });
      } else if (char === '$' || char === '`') parts.push(this.#expansion(false));
      else {
        parts.push({ type: 'text', text: char, quoted: false });
        this.at++;
        continue;
      }
      plain = undefined;
    }
    if (plain !== undefined) plain = this.text.slice(start, this.at);
    const word = joined(parts);
    return plain === undefined ? { type: 'word', word } : { type: 'word', word, plain };
  }

  #singleQuoted(): WordPart {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) throw new ShellSyntaxError('syntax error: unterminated quoted string');
    const text = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return { type: 'text', text, quoted: true };
  }

  /** Inside double quotes, or to the end of the text when `close` is undefined (here-document). */
  #quotedParts(close: '"' | undefined): WordPart[] {
    const parts: WordPart[] = [];
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined) {
        if (close === undefined) return joined(parts);
        throw new ShellSyntaxError('syntax error: unterminated quoted string');
      }
      if (char === close) {
        this.at++;
        return joined(parts);
      }
      if (char === '\\') {
        const next = this.text[this.at + 1] ?? '';
        this.at += 2;
        if (next === '\n') continue;
        parts.push({ type: 'text', text: '$`"\\'.includes(next) ? next : `\\${next}`, quoted: true });
      } else if (char === '$' || char === '`') parts.push(this.#expansion(true));
      else {
        parts.push({ type: 'text', text: char, quoted: true });
        this.at++;
      }
    }
  }

  #expansion(quoted: boolean): WordPart {
    if (this.text[this.at] === '`') return this.#backquoted(quoted);
    const rest = this.text.slice(this.at, this.at + 3);
    if (rest === '$((') return this.#arithmetic(quoted);
    if (rest.startsWith('$(')) {
      this.at += 2;
      if (++this.#depth > MAX_SUBSTITUTIONS) throw new ShellSyntaxError('nested too deeply');
      const body = this.#parseInner(this);
      this.#depth--;
      return { type: 'substitution', body, quoted };
    }
    if (rest.startsWith('${')) return this.#braced(quoted);
    const name = /^\$([A-Za-z_]\w*|[0-9?#$!@*-])/.exec(this.text.slice(this.at, this.at + 256))?.[1];
    if (name === undefined) {
      this.at++;
      return { type: 'text', text: '$', quoted };
    }
    this.at += 1 + name.length;
    return { type: 'variable', name, quoted };
  }

  #backquoted(quoted: boolean): WordPart {
    let inner = '';
    for (this.at++; ; this.at++) {
      const char = this.text[this.at];
      if (char === undefined) throw new ShellSyntaxError('syntax error: unterminated quoted string');
      if (char === '`') break;
      if (char === '\\' && '`$\\'.includes(this.text[this.at + 1] ?? '')) this.at++;
      inner += this.text[this.at] ?? '';
    }
    this.at++;
    return {
      type: 'substitution',
      body: this.#parseInner(new Scanner(`${inner}\n)`, this.#parseInner, this.#depth + 1)),
      quoted,
    };
  }

  #arithmetic(quoted: boolean): WordPart {
    let depth = 2;
    const start = this.at + 3;
    let end = start;
    for (; depth > 0; end++) {
      const char = this.text[end];
      if (char === undefined) throw new ShellSyntaxError("syntax error: missing '))'");
      if (char === '(') depth++;
      if (char === ')') depth--;
    }
    this.at = end;
    const inner = new Scanner(this.text.slice(start, end - 2), this.#parseInner, this.#depth + 1);
    return { type: 'arithmetic', expression: inner.#quotedParts(undefined), quoted };
  }

  /** `${name}`, `${#name}`, `${name:-word}` and its relatives. */
  #braced(quoted: boolean): WordPart {
    let depth = 0;
    let end = this.at + 1;
    do {
      const char = this.text[end++];
      if (char === undefined) throw new ShellSyntaxError("syntax error: missing '}'");
      if (char === '\\') end++;
      if (char === '{') depth++;
      if (char === '}') depth--;
    } while (depth > 0);
    const inner = this.text.slice(this.at + 2, end - 1);
    this.at = end;
    if (/^#\w+$/.test(inner)) return { type: 'variable', name: inner.slice(1), quoted, operator: '#' };
    const match = /^(\w+|[?#$!@*-])(?:(:?[-=+?]|##?|%%?)([\s\S]*))?$/.exec(inner);
    if (!match) throw new ShellSyntaxError('bad substitution');
    const [, name = '', operator, argument = ''] = match;
    if (operator === undefined) return { type: 'variable', name, quoted };
    const words = new Scanner(argument.replace(/^["']|["']$/g, ''), this.#parseInner, this.#depth + 1);
    return { type: 'variable', name, quoted, operator, argument: words.#quotedParts(undefined) };
  }
}

/** Neighbouring texts of the same kind as one. */
function joined(parts: readonly WordPart[]): WordPart[] {
  const result: WordPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.type === 'text' && last?.type === 'text' && last.quoted === part.quoted)
      result[result.length - 1] = { ...last, text: last.text + part.text };
    else result.push(part);
  }
  return result;
}
