import type { Scanner, Token } from './scanner.js';
import { ShellSyntaxError, type Word } from './syntax-tree.js';

/** Words that begin or divide commands. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  'if', 'then', 'elif', 'else', 'fi', 'while', 'until', 'for', 'in', 'do', 'done', 'case', 'esac', 'function', 'select', 'time',
  '{', '}', '!', '[[',
]); // prettier-ignore

/** Holds the present token of a script, and compares it with what the grammar expects. */
export class TokenCursor {
  readonly scanner: Scanner;
  token: Token;

  constructor(scanner: Scanner) {
    this.scanner = scanner;
    this.token = scanner.next();
  }

  anyWord(advance = true): Word {
    if (this.token.type !== 'word') throw this.unexpected();
    const { word } = this.token;
    if (advance) this.advance();
    return word;
  }

  plainWord(): string {
    if (this.token.type !== 'word' || this.token.plain === undefined) throw this.unexpected();
    const { plain } = this.token;
    this.advance();
    return plain;
  }

  /** Replaces the word where a command begins by the text of its alias, and repeats this for the new word. */
  expandAliases(): void {
    while (this.token.type === 'word' && this.token.plain !== undefined) {
      if (!this.scanner.insertAlias(this.token.plain)) return;
      this.advance();
    }
  }

  advance(): void {
    this.token = this.scanner.next();
  }

  skipNewlines(): void {
    while (this.isNewline()) this.advance();
  }

  take(expected: string): void {
    if (!this.isOne([expected])) throw this.unexpected();
    this.advance();
  }

  isOne(expected: readonly string[]): boolean {
    return expected.some((one) => this.isOperator(one) || (this.token.type === 'word' && this.token.plain === one));
  }

  isNewline(): boolean {
    return this.token.type === 'newline';
  }

  isLineEnd(): boolean {
    return this.token.type === 'newline' || this.token.type === 'end';
  }

  isOperator(operator: string): boolean {
    return this.token.type === 'operator' && this.token.operator === operator;
  }

  keyword(): string | undefined {
    const plain = this.token.type === 'word' ? this.token.plain : undefined;
    return plain !== undefined && KEYWORDS.has(plain) ? plain : undefined;
  }

  isKeyword(word: string): boolean {
    return this.keyword() === word;
  }

  unexpected(): ShellSyntaxError {
    const token = this.token;
    const shown =
      token.type === 'operator' ? token.operator : token.type === 'word' ? (token.plain ?? 'word') : token.type === 'end' ? 'EOF' : 'newline'; // prettier-ignore
    return new ShellSyntaxError(`syntax error: unexpected '${shown}'`, { incomplete: token.type === 'end' });
  }
}
