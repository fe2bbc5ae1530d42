import { AwkError } from './awk-error.js';
import { ExpressionParser } from './parse-expression.js';
import type { AwkFunction, Expression, OutputTarget, Program, Rule, Statement } from './syntax-tree.js';
import { TokenReader } from './token-reader.js';

/** Parses the text of a program. Throws AwkError for wrong syntax, and for features that this awk does not have. */
export function parseProgram(source: string): Program {
  return new ProgramParser(source).program();
}

class ProgramParser {
  readonly #tokens: TokenReader;
  readonly #expressions: ExpressionParser;
  #loops = 0;
  #isInFunction = false;
  #isInRule = false;

  constructor(source: string) {
    this.#tokens = new TokenReader(source);
    this.#expressions = new ExpressionParser(this.#tokens);
  }

  program(): Program {
    const begin: Statement[] = [];
    const rules: Rule[] = [];
    const end: Statement[] = [];
    const functions = new Map<string, AwkFunction>();
    this.#skipEnds();
    while (this.#tokens.token.kind !== 'end') {
      if (this.#tokens.accept('BEGIN')) begin.push(this.#block());
      else if (this.#tokens.accept('END')) end.push(this.#block());
      else if (this.#tokens.is('function', 'func')) this.#function(functions);
      else rules.push(this.#rule());
      this.#skipEnds();
    }
    for (const [name, line] of this.#expressions.calls)
      if (!functions.has(name)) throw new AwkError(`calling undefined function ${name}\n source line number ${line}`);
    return { begin, rules, end, functions };
  }

  #rule(): Rule {
    this.#isInRule = true;
    const from = this.#tokens.is('{') ? undefined : this.#expressions.expression();
    let to: Expression | undefined;
    if (from !== undefined && this.#tokens.accept(',')) {
      this.#tokens.skipNewlines();
      to = this.#expressions.expression();
    }
    const action = this.#tokens.is('{') ? this.#block() : undefined;
    if (action === undefined && !this.#tokens.isAtEnd()) this.#tokens.fail();
    this.#isInRule = false;
    return { from, to, action };
  }

  #function(functions: Map<string, AwkFunction>): void {
    this.#tokens.take();
    const { kind, text: name } = this.#tokens.token;
    if (kind !== 'name' && kind !== 'function-name') this.#tokens.fail();
    if (functions.has(name)) this.#tokens.fail(`function ${name} is there already`);
    this.#tokens.take();
    this.#tokens.expect('(');
    const parameters: string[] = [];
    while (!this.#tokens.accept(')')) {
      if (parameters.length > 0) this.#tokens.expect(',');
      this.#tokens.skipNewlines();
      const parameter = this.#tokens.expectName();
      if (parameters.includes(parameter) || parameter === name) this.#tokens.fail(`bad parameter ${parameter}`);
      parameters.push(parameter);
    }
    this.#tokens.skipNewlines();
    this.#expressions.parameters = parameters;
    this.#isInFunction = true;
    functions.set(name, { parameters, body: this.#block() });
    this.#isInFunction = false;
    this.#expressions.parameters = [];
  }

  #block(): Statement {
    return this.#tokens.nested(() => {
      this.#tokens.expect('{');
      const statements: Statement[] = [];
      this.#skipEnds();
      while (!this.#tokens.accept('}')) {
        statements.push(this.#statement());
        this.#skipEnds();
      }
      return { type: 'block', statements };
    });
  }

  #statement(): Statement {
    return this.#tokens.nested(() => {
      if (this.#tokens.is('{')) return this.#block();
      if (this.#tokens.accept(';')) return { type: 'block', statements: [] };
      const compound = this.#compound();
      if (compound) return compound;
      const simple = this.#simple();
      this.#endStatement();
      return simple;
    });
  }

  #compound(): Statement | undefined {
    const tokens = this.#tokens;
    if (tokens.accept('if')) {
      const condition = this.#condition();
      const yes = this.#body();
      return { type: 'if', condition, yes, no: this.#acceptElse() ? this.#body() : undefined };
    }
    if (tokens.accept('while')) {
      const condition = this.#condition();
      return { type: 'while', condition, body: this.#loopBody() };
    }
    if (tokens.accept('do')) {
      const body = this.#loopBody();
      this.#skipEnds();
      tokens.expect('while');
      const condition = this.#condition(false);
      this.#endStatement();
      return { type: 'do', condition, body };
    }
    return tokens.accept('for') ? this.#for() : undefined;
  }

  #for(): Statement {
    const tokens = this.#tokens;
    tokens.expect('(');
    const first = tokens.is(';') ? undefined : this.#simple();
    if (first?.type === 'expression' && first.expression.type === 'in' && tokens.is(')')) {
      const [variable] = first.expression.subscripts;
      if (variable?.type !== 'variable' || first.expression.subscripts.length > 1) return tokens.fail();
      tokens.take();
      return { type: 'for-in', variable, array: first.expression.array, body: this.#loopBody() };
    }
    tokens.expect(';');
    tokens.skipNewlines();
    const condition = tokens.is(';') ? undefined : this.#expressions.expression();
    tokens.expect(';');
    tokens.skipNewlines();
    const next = tokens.is(')') ? undefined : this.#simple();
    tokens.expect(')');
    return { type: 'for', first, condition, next, body: this.#loopBody() };
  }

  #simple(): Statement {
    const tokens = this.#tokens;
    if (tokens.is('print', 'printf')) return this.#print();
    if (tokens.accept('delete')) {
      const array = this.#expressions.variable(tokens.expectName());
      if (!tokens.accept('[')) return { type: 'delete', array, subscripts: undefined };
      const subscripts = this.#expressions.list();
      tokens.expect(']');
      return { type: 'delete', array, subscripts };
    }
    if (tokens.is('break', 'continue')) {
      if (this.#loops === 0) tokens.fail(`${tokens.token.text} illegal outside of loops`);
      return { type: 'jump', kind: tokens.take().text === 'break' ? 'break' : 'continue' };
    }
    if (tokens.is('next', 'nextfile')) {
      if (!this.#isInRule) tokens.fail(`${tokens.token.text} used outside of a rule`);
      return { type: 'jump', kind: tokens.take().text === 'next' ? 'next' : 'nextfile' };
    }
    if (tokens.accept('exit')) return { type: 'exit', status: this.#optionalExpression() };
    if (tokens.is('return')) {
      if (!this.#isInFunction) tokens.fail('return not in function');
      tokens.take();
      return { type: 'return', value: this.#optionalExpression() };
    }
    const expression = this.#expressions.expression();
    return { type: 'expression', expression };
  }

  #print(): Statement {
    const isFormatted = this.#tokens.take().text === 'printf';
    let args: readonly Expression[] = [];
    if (!this.#tokens.isAtEnd() && !this.#tokens.is('>', '>>')) args = this.#expressions.printedList();
    const [only] = args;
    if (args.length === 1 && only?.type === 'group') args = only.items;
    if (isFormatted && args.length === 0) this.#tokens.fail();
    let to: OutputTarget | undefined;
    if (this.#tokens.is('>', '>>'))
      to = { append: this.#tokens.take().text === '>>', file: this.#expressions.fileName() };
    return { type: 'print', isFormatted, args, to };
  }

  #optionalExpression(): Expression | undefined {
    return this.#tokens.isAtEnd() ? undefined : this.#expressions.expression();
  }

  #condition(skips = true): Expression {
    this.#tokens.expect('(');
    const condition = this.#expressions.expression();
    this.#tokens.expect(')');
    if (skips) this.#tokens.skipNewlines();
    return condition;
  }

  #body(): Statement {
    this.#tokens.skipNewlines();
    return this.#statement();
  }

  #loopBody(): Statement {
    this.#loops++;
    const body = this.#body();
    this.#loops--;
    return body;
  }

  /** Takes an `else`, which may come after a semicolon and newlines. Without an `else`, these end the statement. */
  #acceptElse(): boolean {
    this.#skipEnds();
    return this.#tokens.accept('else');
  }

  #endStatement(): void {
    if (!this.#tokens.isAtEnd()) this.#tokens.fail();
    if (this.#tokens.token.kind === 'newline' || this.#tokens.is(';')) this.#tokens.take();
  }

  #skipEnds(): void {
    while (this.#tokens.token.kind === 'newline' || this.#tokens.is(';')) this.#tokens.take();
  }
}
