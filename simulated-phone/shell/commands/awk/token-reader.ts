import { AwkError } from './awk-error.js';
import { Lexer, type Token } from './lexer.js';

/** Greatest depth of statements and brackets in a program. */
const MAX_NESTING = 100;

/** Reads the tokens of a program, and knows the next one. */
export class TokenReader {
  readonly #lexer: Lexer;
  #token: Token;
  #nesting = 0;

  constructor(source: string) {
    this.#lexer = new Lexer(source);
    this.#token = this.#lexer.next();
  }

  get token(): Token {
    return this.#token;
  }

  take(): Token {
    const taken = this.#token;
    this.#token = this.#lexer.next();
    return taken;
  }

  /** Whether an operator or keyword comes next. */
  is(...texts: readonly string[]): boolean {
    const { kind, text } = this.#token;
    return (kind === 'operator' || kind === 'keyword') && texts.includes(text);
  }

  /** Takes the operator or keyword when it comes next. */
  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.take();
    return true;
  }

  expect(text: string): void {
    if (!this.accept(text)) this.fail();
  }

  expectName(): string {
    if (this.#token.kind !== 'name') this.fail();
    return this.take().text;
  }

  /** Whether a statement ends here, or one of the operators comes. */
  isAtEnd(...operators: readonly string[]): boolean {
    const { kind } = this.#token;
    return kind === 'newline' || kind === 'end' || this.is(';', '}', ...operators);
  }

  skipNewlines(): void {
    while (this.#token.kind === 'newline') this.take();
  }

  /** Takes the regular expression that begins with the operator that comes next. */
  takeRegex(): string {
    const source = this.#lexer.regexFrom(this.#token);
    this.#token = this.#lexer.next();
    return source;
  }

  /** Runs `parse` one level deeper. */
  nested<T>(parse: () => T): T {
    if (++this.#nesting > MAX_NESTING) throw new AwkError(`nested too deeply at source line ${this.#token.line}`);
    const result = parse();
    this.#nesting--;
    return result;
  }

  fail(reason = 'syntax error'): never {
    const { kind, text, line } = this.#token;
    if (this.is('|')) throw new AwkError(`pipes to commands are not supported by this phone at source line ${line}`);
    const near = kind === 'end' ? 'the end' : kind === 'newline' ? 'the end of the line' : text.slice(0, 40);
    throw new AwkError(`${reason} at source line ${line}\n context is near >>> ${near} <<<`);
  }
}
