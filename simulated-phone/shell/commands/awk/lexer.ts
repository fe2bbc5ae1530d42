import { AwkError } from './awk-error.js';
import { unescapedText } from './unescape-text.js';

export interface Token {
  kind: 'number' | 'string' | 'name' | 'function-name' | 'keyword' | 'builtin' | 'operator' | 'newline' | 'end';
  /** The text as in the source; for a string, its value. */
  text: string;
  line: number;
  /** The place at which it begins in the source. */
  start: number;
}

const KEYWORDS: ReadonlySet<string> = new Set([
  'BEGIN', 'END', 'function', 'func', 'if', 'else', 'while', 'for', 'do', 'break', 'continue', 'next', 'nextfile', 'exit', 'return',
  'delete', 'in', 'getline', 'print', 'printf',
]); // prettier-ignore

/** The functions of the language, each with the fewest and the most arguments that it takes. */
export const BUILTINS: Readonly<Record<string, readonly [fewest: number, most: number]>> = {
  length: [0, 1],
  substr: [2, 3],
  index: [2, 2],
  split: [2, 3],
  sub: [2, 3],
  gsub: [2, 3],
  match: [2, 2],
  sprintf: [1, Infinity],
  tolower: [1, 1],
  toupper: [1, 1],
  int: [1, 1],
  sqrt: [1, 1],
  exp: [1, 1],
  log: [1, 1],
  sin: [1, 1],
  cos: [1, 1],
  atan2: [2, 2],
  rand: [0, 0],
  srand: [0, 1],
  close: [1, 1],
  fflush: [0, 1],
};

/** The operators, the longest first. */
const OPERATORS = [
  '**=', '**', '^=', '+=', '-=', '*=', '/=', '%=', '==', '<=', '>=', '!=', '++', '--', '&&', '||', '>>', '!~', '{', '}', '(', ')', '[', ']',
  ';', ',', '+', '-', '*', '/', '%', '^', '!', '>', '<', '|', '?', ':', '~', '$', '=',
]; // prettier-ignore

/** Cuts the text of a program into tokens, one at a time: only the parser knows where `/` begins a regular expression. */
export class Lexer {
  readonly #source: string;
  #at = 0;
  #line = 1;

  constructor(source: string) {
    this.#source = source;
  }

  next(): Token {
    this.#skipBlanks();
    const start = this.#at;
    const line = this.#line;
    const token = (kind: Token['kind'], text: string, length = text.length): Token => {
      this.#at = start + length;
      return { kind, text, line, start };
    };
    const char = this.#source[start];
    if (char === undefined) return token('end', '');
    if (char === '\n') {
      this.#line++;
      return token('newline', char);
    }
    if (char === '"') {
      const raw = this.#delimited(start + 1, '"', 'string');
      return token('string', unescapedText(raw), raw.length + 2);
    }
    const number = matchAt(/(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y, this.#source, start);
    if (number !== undefined) return token('number', number);
    const name = matchAt(/[A-Za-z_]\w*/y, this.#source, start);
    if (name !== undefined) {
      if (name === 'system') throw new AwkError(`system() is not supported by this phone at source line ${line}`);
      if (KEYWORDS.has(name)) return token('keyword', name);
      if (Object.hasOwn(BUILTINS, name)) return token('builtin', name);
      return token(this.#source[start + name.length] === '(' ? 'function-name' : 'name', name);
    }
    const operator = OPERATORS.find((text) => this.#source.startsWith(text, start));
    if (operator === undefined) throw new AwkError(`syntax error at source line ${line}`);
    return token('operator', operator);
  }

  /** Returns the regular expression whose first `/` is the token. */
  regexFrom({ start, line }: Token): string {
    this.#line = line;
    const source = this.#delimited(start + 1, '/', 'regular expression');
    this.#at = start + source.length + 2;
    return source;
  }

  #delimited(start: number, end: string, what: string): string {
    let at = start;
    for (; this.#source[at] !== end; at++) {
      const char = this.#source[at];
      if (char === '\\' && this.#source[at + 1] !== undefined) {
        at++;
        if (this.#source[at] === '\n') this.#line++;
      } else if (char === undefined || char === '\n')
        throw new AwkError(`non-terminated ${what} at source line ${this.#line}`);
    }
    return this.#source.slice(start, at);
  }

  #skipBlanks(): void {
    for (;;) {
      const blank = matchAt(/(?:[ \t\r]|\\\r?\n|#[^\n]*)/y, this.#source, this.#at);
      if (blank === undefined) return;
      if (blank.endsWith('\n')) this.#line++;
      this.#at += blank.length;
    }
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
