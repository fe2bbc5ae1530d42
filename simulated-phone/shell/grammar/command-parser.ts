import { parseCondition } from './parse-condition.js';
import { isRedirect, parseRedirect, parseRedirects } from './parse-redirects.js';
import type { Scanner } from './scanner.js';
import {
  ShellSyntaxError,
  assignmentOf,
  type Assignment,
  type CaseBranch,
  type Node,
  type Redirect,
  type Word,
} from './syntax-tree.js';
import { TokenCursor } from './token-cursor.js';

const MAX_DEPTH = 200;
/** Most stages of a pipeline, as all of them run at the same time. */
const MAX_STAGES = 256;
const CASE_ENDS: Readonly<Record<string, CaseBranch['next']>> = { ';;': 'end', ';&': 'body', ';|': 'match' };

/** Parses the commands of a script. Throws ShellSyntaxError. */
export class CommandParser {
  readonly #tokens: TokenCursor;
  #depth: number;

  constructor(scanner: Scanner, depth: number) {
    this.#tokens = new TokenCursor(scanner);
    this.#depth = depth;
  }

  /** Parses the commands of the next line; undefined at the end. */
  line(): Node | undefined {
    this.#tokens.skipNewlines();
    if (this.#tokens.token.type === 'end') return undefined;
    const items: { node: Node; background: boolean }[] = [];
    do items.push(this.#item());
    while (!this.#tokens.isLineEnd() && this.#isSeparated);
    if (!this.#tokens.isLineEnd()) throw this.#tokens.unexpected();
    return { type: 'list', items };
  }

  /** Parses commands up to one of the words or operators in `until`, which is not taken. */
  list(until: readonly string[], options: { opened?: string } = {}): Node {
    if (++this.#depth > MAX_DEPTH) throw new ShellSyntaxError('nested too deeply');
    const items: { node: Node; background: boolean }[] = [];
    for (;;) {
      this.#tokens.skipNewlines();
      if (this.#tokens.token.type === 'end' || this.#tokens.isOne(until)) break;
      items.push(this.#item());
      if (this.#isSeparated) continue;
      if (this.#tokens.isNewline()) this.#tokens.advance();
      else break;
    }
    // Only groups, command substitutions and branches of `case` may be empty.
    if (items.length === 0 && options.opened === undefined && !until.includes(')')) throw this.#tokens.unexpected();
    this.#depth--;
    return { type: 'list', items };
  }

  /** Checks that the present token is the operator, and reads no further: text after a substitution belongs to the word around it. */
  expectOperator(operator: string): void {
    if (!this.#tokens.isOperator(operator)) throw this.#tokens.unexpected();
  }

  /** Whether the latest command of a list has `;` or `&` after it. */
  #isSeparated = false;

  #item(): { node: Node; background: boolean } {
    const node = this.#andOr();
    const background = this.#tokens.isOperator('&');
    this.#isSeparated = background || this.#tokens.isOperator(';');
    if (this.#isSeparated) this.#tokens.advance();
    return { node, background };
  }

  #andOr(): Node {
    let left = this.#pipeline();
    while (this.#tokens.isOperator('&&') || this.#tokens.isOperator('||')) {
      const operator = this.#tokens.isOperator('&&') ? '&&' : '||';
      this.#tokens.advance();
      this.#tokens.skipNewlines();
      left = { type: 'and-or', left, operator, right: this.#pipeline() };
    }
    return left;
  }

  #pipeline(): Node {
    this.#tokens.expandAliases();
    let negated = false;
    let timed: 'long' | 'posix' | undefined;
    for (let word = this.#tokens.keyword(); word === '!' || word === 'time'; word = this.#tokens.keyword()) {
      this.#tokens.advance();
      if (word === '!') negated = !negated;
      else timed = 'long';
      if (word !== 'time' || this.#tokens.token.type !== 'word' || this.#tokens.token.plain !== '-p') continue;
      timed = 'posix';
      this.#tokens.advance();
    }
    const time = timed && { timed };
    // `time` alone is a command, `!` alone is not.
    if (timed && (this.#tokens.isLineEnd() || this.#tokens.isOperator(';'))) return { type: 'pipeline', stages: [EMPTY], negated, ...time }; // prettier-ignore
    const stages = [this.#command()];
    while (this.#tokens.isOperator('|')) {
      this.#tokens.advance();
      this.#tokens.skipNewlines();
      stages.push(this.#command());
      if (stages.length > MAX_STAGES) throw new ShellSyntaxError('pipeline too long');
    }
    const [only] = stages;
    return stages.length === 1 && only && !negated && !timed ? only : { type: 'pipeline', stages, negated, ...time };
  }

  #command(): Node {
    this.#tokens.expandAliases();
    if (this.#tokens.isOperator('(')) return this.#brackets();
    switch (this.#tokens.keyword()) {
      case '{':
        return this.#group('{', '}', false);
      case '[[': {
        this.#tokens.advance();
        const condition = parseCondition(this.#tokens);
        return { type: 'condition', condition, redirects: parseRedirects(this.#tokens) };
      }
      case 'if':
        return this.#if();
      case 'while':
      case 'until':
        return this.#while();
      case 'for':
        return this.#for();
      case 'case':
        return this.#case();
      case 'function': {
        this.#tokens.advance();
        const name = this.#tokens.plainWord();
        if (name === '{') throw new ShellSyntaxError('syntax error: invalid function name');
        return this.#function(name);
      }
      case 'in':
      case undefined:
        return this.#simple();
      default:
        throw this.#tokens.unexpected();
    }
  }

  /** Parses a subshell, or `((...))`. */
  #brackets(): Node {
    if (this.#tokens.scanner.text[this.#tokens.scanner.at] === '(') {
      this.#tokens.scanner.at++;
      const expression = this.#tokens.scanner.arithmeticCommand();
      if (expression) {
        this.#tokens.advance();
        return { type: 'arithmetic', expression, redirects: parseRedirects(this.#tokens) };
      }
      this.#tokens.scanner.at--;
    }
    return this.#group('(', ')', true);
  }

  #group(open: string, close: string, subshell: boolean): Node {
    this.#tokens.advance();
    const body = this.list([close], { opened: open });
    this.#tokens.take(close);
    return { type: 'group', body, redirects: parseRedirects(this.#tokens), subshell };
  }

  #if(): Node {
    const branches: { condition: Node; body: Node }[] = [];
    do {
      this.#tokens.advance();
      const condition = this.list(['then']);
      this.#tokens.take('then');
      branches.push({ condition, body: this.list(['elif', 'else', 'fi']) });
    } while (this.#tokens.isKeyword('elif'));
    let otherwise: Node | undefined;
    if (this.#tokens.isKeyword('else')) {
      this.#tokens.advance();
      otherwise = this.list(['fi']);
    }
    this.#tokens.take('fi');
    return { type: 'if', branches, ...(otherwise && { otherwise }), redirects: parseRedirects(this.#tokens) };
  }

  #while(): Node {
    const until = this.#tokens.isKeyword('until');
    this.#tokens.advance();
    const condition = this.list(['do']);
    return { type: 'while', condition, until, body: this.#doGroup(), redirects: parseRedirects(this.#tokens) };
  }

  #for(): Node {
    this.#tokens.advance();
    const name = this.#tokens.plainWord();
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new ShellSyntaxError('for: bad identifier');
    this.#tokens.skipNewlines();
    let words: Word[] | undefined;
    if (this.#tokens.isKeyword('in')) {
      this.#tokens.advance();
      words = [];
      while (this.#tokens.token.type === 'word') {
        words.push(this.#tokens.token.word);
        this.#tokens.advance();
      }
      if (!this.#tokens.isOperator(';') && !this.#tokens.isNewline()) throw this.#tokens.unexpected();
    }
    if (this.#tokens.isOperator(';')) this.#tokens.advance();
    this.#tokens.skipNewlines();
    return {
      type: 'for',
      name,
      ...(words && { words }),
      body: this.#doGroup(),
      redirects: parseRedirects(this.#tokens),
    };
  }

  /** Parses the body of a loop: `do ... done`, or the `{ ... }` that a `for` loop may have in its place. */
  #doGroup(): Node {
    const [open, close] = this.#tokens.isKeyword('{') ? ['{', '}'] : ['do', 'done'];
    this.#tokens.take(open);
    const body = this.list([close]);
    this.#tokens.take(close);
    return body;
  }

  #case(): Node {
    this.#tokens.advance();
    const word = this.#tokens.anyWord();
    this.#tokens.skipNewlines();
    const [open, close] = this.#tokens.isKeyword('{') ? ['{', '}'] : ['in', 'esac'];
    this.#tokens.take(open);
    this.#tokens.skipNewlines();
    const branches: CaseBranch[] = [];
    while (!this.#tokens.isKeyword(close)) {
      if (this.#tokens.isOperator('(')) this.#tokens.advance();
      const patterns = [this.#tokens.anyWord()];
      while (this.#tokens.isOperator('|')) {
        this.#tokens.advance();
        patterns.push(this.#tokens.anyWord());
      }
      this.#tokens.take(')');
      const body = this.list([...Object.keys(CASE_ENDS), close], { opened: 'case' });
      const end = this.#tokens.token.type === 'operator' ? CASE_ENDS[this.#tokens.token.operator] : undefined;
      branches.push({ patterns, body, next: end ?? 'end' });
      if (end) this.#tokens.advance();
      this.#tokens.skipNewlines();
    }
    this.#tokens.advance();
    return { type: 'case', word, branches, redirects: parseRedirects(this.#tokens) };
  }

  /** Parses what follows the name in `name() body` or `function name body`. */
  #function(name: string): Node {
    const { text, at } = this.#tokens.scanner;
    if (this.#tokens.isOperator('(')) {
      this.#tokens.advance();
      this.#tokens.take(')');
    }
    this.#tokens.skipNewlines();
    const body = this.#command();
    // An alias in the definition replaces the scanner's text, so the end of the definition is unknown. Then the source is all the rest of
    // the old text.
    const source = text.slice(at, text === this.#tokens.scanner.text ? this.#tokens.scanner.at : undefined).trimEnd();
    return { type: 'function', name, body, source: `${name}() ${source}` };
  }

  #simple(): Node {
    const assignments: Assignment[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      const token = this.#tokens.token;
      const count = words.length + assignments.length + redirects.length;
      if (isRedirect(token)) redirects.push(...parseRedirect(this.#tokens));
      else if (token.type === 'word') {
        const assignment = words.length === 0 ? assignmentOf(token.word) : undefined;
        if (
          assignment &&
          count === 0 &&
          assignment.value.length === 0 &&
          this.#tokens.scanner.text[this.#tokens.scanner.at] === '('
        )
          return this.#array(assignment);
        if (assignment) assignments.push(assignment);
        else words.push(token.word);
        this.#tokens.advance();
        if (count === 0 && words.length === 1 && token.plain !== undefined && this.#tokens.isOperator('('))
          return this.#function(token.plain);
        if (words.length === 0 || this.#tokens.scanner.isBehindOpenAlias) this.#tokens.expandAliases();
      } else break;
    }
    if (words.length + assignments.length + redirects.length === 0) throw this.#tokens.unexpected();
    return { type: 'command', assignments, words, redirects };
  }

  /** Parses `name=(word ...)`; nothing else may be in that command. */
  #array({ name, append, subscript }: Assignment): Node {
    if (subscript) throw this.#tokens.unexpected();
    this.#tokens.advance();
    this.#tokens.advance();
    const words: Word[] = [];
    while (!this.#tokens.isOperator(')')) {
      if (this.#tokens.token.type === 'word') words.push(this.#tokens.token.word);
      else if (!this.#tokens.isNewline()) throw this.#tokens.unexpected();
      this.#tokens.advance();
    }
    this.#tokens.advance();
    if (this.#tokens.token.type === 'word') throw this.#tokens.unexpected();
    return { type: 'array', name, append, words };
  }
}

const EMPTY: Node = { type: 'list', items: [] };
