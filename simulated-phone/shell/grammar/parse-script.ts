import { Scanner, type Token } from './scanner.js';
import { ShellSyntaxError, type Node, type Redirect, type Word } from './syntax-tree.js';

/** Parses a whole script. Throws ShellSyntaxError. */
export function parseScript(text: string): Node {
  if (text.length > MAX_SCRIPT_CHARS) throw new ShellSyntaxError('script too long');
  const parser = new Parser(new Scanner(text, parseSubstitution), 0);
  const body = parser.list([]);
  parser.expectEnd();
  return body;
}

function parseSubstitution(scanner: Scanner): Node {
  const parser = new Parser(scanner, 1);
  const body = parser.list([')']);
  parser.expectOperator(')');
  return body;
}

const MAX_SCRIPT_CHARS = 1024 * 1024;
const MAX_DEPTH = 200;
/** All of them run at once. */
const MAX_STAGES = 256;
const REDIRECTS = new Set(['<', '>', '>>', '>&', '<&', '>|', '<<', '<<-', '&>']);
const KEYWORDS = new Set([
  'if', 'then', 'elif', 'else', 'fi', 'while', 'until', 'for', 'in', 'do', 'done', 'case', 'esac', 'function', '{', '}', '!',
]); // prettier-ignore

class Parser {
  readonly #scanner: Scanner;
  #token: Token;
  #depth: number;

  constructor(scanner: Scanner, depth: number) {
    this.#scanner = scanner;
    this.#depth = depth;
    this.#token = scanner.next();
  }

  /** Commands up to one of the words or operators in `until`, which is left where it is. */
  list(until: readonly string[]): Node {
    if (++this.#depth > MAX_DEPTH) throw new ShellSyntaxError('nested too deeply');
    const items: { node: Node; background: boolean }[] = [];
    for (;;) {
      while (this.#token.type === 'newline') this.#advance();
      if (this.#token.type === 'end' || this.#isOne(until)) break;
      const node = this.#andOr();
      const background = this.#isOperator('&');
      items.push({ node, background });
      if (background || this.#isOperator(';') || (this.#token as Token).type === 'newline') this.#advance();
      else break;
    }
    this.#depth--;
    return { type: 'list', items };
  }

  expectEnd(): void {
    if (this.#token.type !== 'end') throw this.#unexpected();
  }

  /** Does not look past the operator: text after a substitution belongs to the word around it. */
  expectOperator(operator: string): void {
    if (!this.#isOperator(operator)) throw this.#unexpected();
  }

  #andOr(): Node {
    let left = this.#pipeline();
    while (this.#isOperator('&&') || this.#isOperator('||')) {
      const operator = this.#isOperator('&&') ? '&&' : '||';
      this.#advance();
      this.#skipNewlines();
      left = { type: 'and-or', left, operator, right: this.#pipeline() };
    }
    return left;
  }

  #pipeline(): Node {
    const negated = this.#isKeyword('!');
    if (negated) this.#advance();
    const stages = [this.#command()];
    while (this.#isOperator('|')) {
      this.#advance();
      this.#skipNewlines();
      stages.push(this.#command());
      if (stages.length > MAX_STAGES) throw new ShellSyntaxError('pipeline too long');
    }
    const [only] = stages;
    return stages.length === 1 && only && !negated ? only : { type: 'pipeline', stages, negated };
  }

  #command(): Node {
    if (this.#isOperator('(')) return this.#group('(', ')', true);
    switch (this.#keyword()) {
      case '{':
        return this.#group('{', '}', false);
      case 'if':
        return this.#if();
      case 'while':
      case 'until':
        return this.#while();
      case 'for':
        return this.#for();
      case 'case':
        return this.#case();
      case 'function':
        this.#advance();
        return this.#function(this.#plainWord());
      case undefined:
        return this.#simple();
      default:
        throw this.#unexpected();
    }
  }

  #group(open: string, close: string, subshell: boolean): Node {
    if (open === '(' || open === '{') this.#advance();
    const body = this.list([close]);
    this.#take(close);
    return { type: 'group', body, redirects: this.#redirects(), subshell };
  }

  #if(): Node {
    const branches: { condition: Node; body: Node }[] = [];
    do {
      this.#advance();
      const condition = this.list(['then']);
      this.#take('then');
      branches.push({ condition, body: this.list(['elif', 'else', 'fi']) });
    } while (this.#isKeyword('elif'));
    let otherwise: Node | undefined;
    if (this.#isKeyword('else')) {
      this.#advance();
      otherwise = this.list(['fi']);
    }
    this.#take('fi');
    return { type: 'if', branches, ...(otherwise && { otherwise }), redirects: this.#redirects() };
  }

  #while(): Node {
    const until = this.#isKeyword('until');
    this.#advance();
    const condition = this.list(['do']);
    return { type: 'while', condition, until, body: this.#doGroup(), redirects: this.#redirects() };
  }

  #for(): Node {
    this.#advance();
    const name = this.#plainWord();
    this.#skipNewlines();
    let words: Word[] | undefined;
    if (this.#isKeyword('in')) {
      this.#advance();
      words = [];
      while (this.#token.type === 'word') {
        words.push(this.#token.word);
        this.#advance();
      }
    }
    if (this.#isOperator(';')) this.#advance();
    this.#skipNewlines();
    return { type: 'for', name, ...(words && { words }), body: this.#doGroup(), redirects: this.#redirects() };
  }

  #doGroup(): Node {
    this.#take('do');
    const body = this.list(['done']);
    this.#take('done');
    return body;
  }

  #case(): Node {
    this.#advance();
    const word = this.#anyWord();
    this.#skipNewlines();
    this.#take('in');
    this.#skipNewlines();
    const branches: { patterns: Word[]; body: Node }[] = [];
    while (!this.#isKeyword('esac')) {
      if (this.#isOperator('(')) this.#advance();
      const patterns = [this.#anyWord()];
      while (this.#isOperator('|')) {
        this.#advance();
        patterns.push(this.#anyWord());
      }
      this.#take(')');
      branches.push({ patterns, body: this.list([';;', 'esac']) });
      if (this.#isOperator(';;')) this.#advance();
      this.#skipNewlines();
    }
    this.#advance();
    return { type: 'case', word, branches, redirects: this.#redirects() };
  }

  /** The rest of `name() body` or `function name body`, behind the name. */
  #function(name: string): Node {
    const start = this.#scanner.at;
    if (this.#isOperator('(')) {
      this.#advance();
      this.#take(')');
    }
    this.#skipNewlines();
    const body = this.#command();
    return { type: 'function', name, body, sourceChars: this.#scanner.at - start };
  }

  #simple(): Node {
    const assignments: { name: string; value: Word }[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      const token = this.#token;
      if (token.type === 'operator' && REDIRECTS.has(token.operator)) redirects.push(...this.#redirect());
      else if (token.type === 'word') {
        const assignment = words.length === 0 ? asAssignment(token.word) : undefined;
        if (assignment) assignments.push(assignment);
        else words.push(token.word);
        this.#advance();
        const isFirst = words.length === 1 && assignments.length + redirects.length === 0;
        if (isFirst && token.plain !== undefined && this.#isOperator('(')) return this.#function(token.plain);
      } else break;
    }
    if (words.length + assignments.length + redirects.length === 0) throw this.#unexpected();
    return { type: 'command', assignments, words, redirects };
  }

  #redirects(): Redirect[] {
    const redirects: Redirect[] = [];
    while (this.#token.type === 'operator' && REDIRECTS.has(this.#token.operator)) redirects.push(...this.#redirect());
    return redirects;
  }

  #redirect(): Redirect[] {
    const token = this.#token;
    if (token.type !== 'operator') throw this.#unexpected();
    this.#advance();
    const target = this.#anyWord(false);
    const { operator } = token;
    const descriptor = token.descriptor ?? (operator.startsWith('<') ? 0 : 1);
    if (operator === '<<' || operator === '<<-') {
      const document: Redirect = { descriptor, operator: '<<', target: [] };
      this.#scanner.expectHereDocument(target, operator === '<<-', (body) => (document.target = body));
      this.#advance();
      return [document];
    }
    this.#advance();
    if (operator === '&>')
      return [
        { descriptor: 1, operator: '>', target },
        { descriptor: 2, operator: '>&', target: [{ type: 'text', text: '1', quoted: false }] },
      ];
    return [{ descriptor, operator: operator === '>|' ? '>' : (operator as Redirect['operator']), target }];
  }

  #anyWord(advance = true): Word {
    if (this.#token.type !== 'word') throw this.#unexpected();
    const { word } = this.#token;
    if (advance) this.#advance();
    return word;
  }

  #plainWord(): string {
    if (this.#token.type !== 'word' || this.#token.plain === undefined) throw this.#unexpected();
    const { plain } = this.#token;
    this.#advance();
    return plain;
  }

  #advance(): void {
    this.#token = this.#scanner.next();
  }

  #skipNewlines(): void {
    while (this.#token.type === 'newline') this.#advance();
  }

  #take(expected: string): void {
    if (!this.#isOne([expected])) throw this.#unexpected();
    this.#advance();
  }

  #isOne(expected: readonly string[]): boolean {
    return expected.some((one) => this.#isOperator(one) || this.#isKeyword(one));
  }

  #isOperator(operator: string): boolean {
    return this.#token.type === 'operator' && this.#token.operator === operator;
  }

  #keyword(): string | undefined {
    const plain = this.#token.type === 'word' ? this.#token.plain : undefined;
    return plain !== undefined && KEYWORDS.has(plain) ? plain : undefined;
  }

  #isKeyword(word: string): boolean {
    return this.#keyword() === word;
  }

  #unexpected(): ShellSyntaxError {
    const token = this.#token;
    const shown =
      token.type === 'operator' ? token.operator : token.type === 'word' ? (token.plain ?? 'word') : token.type === 'end' ? 'EOF' : 'newline'; // prettier-ignore
    return new ShellSyntaxError(`syntax error: unexpected '${shown}'`);
  }
}

function asAssignment(word: Word): { name: string; value: Word } | undefined {
  const [first, ...rest] = word;
  if (first?.type !== 'text' || first.quoted) return undefined;
  const match = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(first.text);
  if (!match) return undefined;
  const [, name = '', text = ''] = match;
  return { name, value: text === '' ? rest : [{ type: 'text', text, quoted: false }, ...rest] };
}
