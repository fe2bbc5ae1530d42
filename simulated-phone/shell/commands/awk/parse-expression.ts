import { BUILTINS } from './lexer.js';
import type { ElementReference, Expression, Target, VariableReference } from './syntax-tree.js';
import type { TokenReader } from './token-reader.js';

const ASSIGNMENTS = ['=', '+=', '-=', '*=', '/=', '%=', '^=', '**='];
const COMPARISONS = ['<', '<=', '==', '!=', '>', '>='];

/** The place of an expression. In some places, a sign ends the expression that is an operator elsewhere. */
interface Place {
  /**
   * Whether the expression is in a print statement, where `>` is followed by the output file. Other comparisons need parentheses there too,
   * as in one-true-awk.
   */
  isPrinted?: boolean;
}

/** Parses the expressions of a program, by precedence. */
export class ExpressionParser {
  readonly #tokens: TokenReader;
  /** The place at which the list of a print statement begins in the source. */
  #printedFrom = -1;
  /** Parameters of the function that is parsed. */
  parameters: readonly string[] = [];
  /** Functions that are called, with the line of their first call. */
  readonly calls = new Map<string, number>();

  constructor(tokens: TokenReader) {
    this.#tokens = tokens;
  }

  expression(place: Place = {}): Expression {
    return this.#tokens.nested(() => this.#conditional(place));
  }

  list(place: Place = {}): Expression[] {
    const items = [this.expression(place)];
    while (this.#tokens.accept(',')) {
      this.#tokens.skipNewlines();
      items.push(this.expression(place));
    }
    return items;
  }

  /** Parses the list of a print statement, which may stand in parentheses as a whole. */
  printedList(): Expression[] {
    this.#printedFrom = this.#tokens.token.start;
    return this.list({ isPrinted: true });
  }

  variable(name: string): VariableReference {
    const local = this.parameters.indexOf(name);
    return { type: 'variable', name, local: local < 0 ? undefined : local };
  }

  /** Parses the file name after `getline <` and `print >`. It contains no concatenation and no comparison. */
  fileName(): Expression {
    return this.#additive();
  }

  #conditional(place: Place): Expression {
    const condition = this.#or(place);
    if (!this.#tokens.accept('?')) return condition;
    const yes = this.expression(place);
    this.#tokens.expect(':');
    return { type: 'conditional', condition, yes, no: this.expression(place) };
  }

  #or(place: Place): Expression {
    let left = this.#and(place);
    while (this.#tokens.accept('||')) {
      this.#tokens.skipNewlines();
      left = { type: 'logical', operator: '||', left, right: this.#and(place) };
    }
    return left;
  }

  #and(place: Place): Expression {
    let left = this.#membership(place);
    while (this.#tokens.accept('&&')) {
      this.#tokens.skipNewlines();
      left = { type: 'logical', operator: '&&', left, right: this.#membership(place) };
    }
    return left;
  }

  #membership(place: Place): Expression {
    let left = this.#match(place);
    while (this.#tokens.accept('in')) {
      const subscripts = left.type === 'group' ? left.items : [left];
      left = { type: 'in', subscripts, array: this.variable(this.#tokens.expectName()) };
    }
    return left;
  }

  #match(place: Place): Expression {
    const text = this.#comparison(place);
    if (!this.#tokens.is('~', '!~')) return text;
    const isNegated = this.#tokens.take().text === '!~';
    return { type: 'match', isNegated, text, pattern: this.#comparison(place) };
  }

  #comparison(place: Place): Expression {
    const left = this.#concatenation();
    if (place.isPrinted || !this.#tokens.is(...COMPARISONS)) return left;
    const operator = this.#tokens.take().text;
    return { type: 'binary', operator, left, right: this.#concatenation() };
  }

  #concatenation(): Expression {
    let left = this.#additive();
    while (this.#beginsOperand()) left = { type: 'binary', operator: ' ', left, right: this.#additive() };
    return left;
  }

  #beginsOperand(): boolean {
    const { kind } = this.#tokens.token;
    if (kind === 'operator') return this.#tokens.is('(', '$', '!', '++', '--', '-', '+') && !this.#tokens.is('+', '-');
    return kind !== 'newline' && kind !== 'end' && kind !== 'keyword';
  }

  #additive(): Expression {
    let left = this.#multiplicative();
    while (this.#tokens.is('+', '-'))
      left = { type: 'binary', operator: this.#tokens.take().text, left, right: this.#multiplicative() };
    return left;
  }

  #multiplicative(): Expression {
    let left = this.#unary();
    while (this.#tokens.is('*', '/', '%'))
      left = { type: 'binary', operator: this.#tokens.take().text, left, right: this.#unary() };
    return left;
  }

  #unary(): Expression {
    if (!this.#tokens.is('!', '-', '+')) return this.#power();
    const operator = this.#tokens.take().text;
    return this.#tokens.nested(() => ({ type: 'unary', operator, operand: this.#unary() }));
  }

  #power(): Expression {
    const left = this.#postfix();
    if (!this.#tokens.is('^', '**')) return left;
    this.#tokens.take();
    // The right side is parsed first, and `^` binds more than a sign in front: `-2^2` is -4, `2^-1` is 0.5.
    return this.#tokens.nested(() => ({ type: 'binary', operator: '^', left, right: this.#unary() }));
  }

  #postfix(): Expression {
    const operand = this.#primary();
    if (!isTarget(operand)) return operand;
    if (this.#tokens.is('++', '--'))
      return { type: 'increment', target: operand, by: this.#tokens.take().text === '++' ? 1 : -1, isPrefix: false };
    if (!this.#tokens.is(...ASSIGNMENTS)) return operand;
    // An assignment is parsed here, and not as the weakest operator: `a && b = 1` assigns to b.
    const operator = this.#tokens.take().text.slice(0, -1);
    return { type: 'assign', target: operand, operator: operator === '**' ? '^' : operator, value: this.expression() };
  }

  #primary(): Expression {
    const { token } = this.#tokens;
    switch (token.kind) {
      case 'number':
        return { type: 'number', value: Number(this.#tokens.take().text) };
      case 'string':
        return { type: 'string', value: this.#tokens.take().text };
      case 'name':
        return this.#variableOrElement();
      case 'function-name': {
        this.#tokens.take();
        if (!this.calls.has(token.text)) this.calls.set(token.text, token.line);
        return { type: 'call', name: token.text, args: this.#arguments() };
      }
      case 'builtin': {
        this.#tokens.take();
        if (this.#tokens.is('(')) return this.#builtin(token.text);
        if (token.text !== 'length') this.#tokens.fail();
        return { type: 'builtin', name: token.text, args: [] };
      }
      default:
    }
    if (this.#tokens.is('/', '/=')) return { type: 'regex', source: this.#tokens.takeRegex() };
    if (this.#tokens.accept('$')) return { type: 'field', index: this.#fieldIndex() };
    if (this.#tokens.is('++', '--')) {
      const by = this.#tokens.take().text === '++' ? 1 : -1;
      return { type: 'increment', target: this.#target(), by, isPrefix: true };
    }
    if (this.#tokens.accept('(')) {
      const items = this.list();
      this.#tokens.expect(')');
      if (items.length > 1 && !this.#tokens.is('in') && !(token.start === this.#printedFrom && this.#tokens.isAtEnd('>', '>>'))) this.#tokens.fail(); // prettier-ignore
      return { type: 'group', items };
    }
    if (this.#tokens.accept('getline')) return this.#getline();
    return this.#tokens.fail();
  }

  #fieldIndex(): Expression {
    if (this.#tokens.is('-', '+', '!')) {
      const operator = this.#tokens.take().text;
      return this.#tokens.nested(() => ({ type: 'unary', operator, operand: this.#fieldIndex() }));
    }
    return this.#tokens.nested(() => this.#primary());
  }

  #getline(): Expression {
    const takesTarget = this.#tokens.token.kind === 'name' || this.#tokens.is('$');
    const target = takesTarget ? this.#target() : undefined;
    const file = this.#tokens.accept('<') ? this.#tokens.nested(() => this.#primary()) : undefined;
    return { type: 'getline', target, file };
  }

  #target(): Target {
    const target = this.#tokens.nested(() => this.#primary());
    return isTarget(target) ? target : this.#tokens.fail();
  }

  #variableOrElement(): VariableReference | ElementReference {
    const variable = this.variable(this.#tokens.take().text);
    if (!this.#tokens.accept('[')) return variable;
    const subscripts = this.list();
    this.#tokens.expect(']');
    return { type: 'element', array: variable, subscripts };
  }

  #builtin(name: string): Expression {
    const args = this.#arguments();
    const [fewest, most] = BUILTINS[name] ?? [0, 0];
    if (args.length < fewest || args.length > most) this.#tokens.fail(`wrong number of arguments of ${name}`);
    return { type: 'builtin', name, args };
  }

  #arguments(): Expression[] {
    this.#tokens.expect('(');
    if (this.#tokens.accept(')')) return [];
    const args = this.list();
    this.#tokens.skipNewlines();
    this.#tokens.expect(')');
    return args;
  }
}

function isTarget(expression: Expression): expression is Target {
  return expression.type === 'variable' || expression.type === 'field' || expression.type === 'element';
}
