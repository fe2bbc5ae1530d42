import { AwkError } from './awk-error.js';
import { callBuiltin } from './builtins.js';
import { boundedText, type Cell } from './cells.js';
import type { AwkContext } from './context.js';
import type { Operands } from './operands.js';
import { runSteps, waitFor, type Steps } from './steps.js';
import type { AwkFunction, Expression, Target, VariableReference } from './syntax-tree.js';
import type { LinearPattern } from '../../../patterns/linear-pattern.js';
import { compare, inputValue, isTrue, toNumber, toText, type Scalar } from './values.js';

/** The deepest nesting of expressions on one stack of Node. The stack can hold more than twice as many. */
const MAX_DEPTH = 1_500;
/** Most calls on one stack; the next call begins another stack. */
const CALLS_PER_STACK = 16;
const MAX_CALLS = 2_000;

/** Runs the body of a function, whose parameters are the innermost frame, and returns its value. */
export type RunFunction = (body: AwkFunction) => Steps<Scalar>;

/** Computes the values of expressions. */
export class Evaluator implements Operands {
  readonly context: AwkContext;
  readonly #functions: ReadonlyMap<string, AwkFunction>;
  readonly #runFunction: RunFunction;
  #depth = 0;

  constructor(context: AwkContext, functions: ReadonlyMap<string, AwkFunction>, runFunction: RunFunction) {
    this.context = context;
    this.#functions = functions;
    this.#runFunction = runFunction;
  }

  /** Resets the depths of expressions and calls to 0, after a jump out of expressions. */
  reset(): void {
    this.#depth = 0;
    this.context.variables.frames.length = 0;
  }

  *value(node: Expression): Steps<Scalar> {
    if (node.type === 'number' || node.type === 'string') return node.value;
    const { turns } = this.context;
    if (turns.isDue()) yield* turns.give();
    if (++this.#depth > MAX_DEPTH) throw new AwkError('expressions nested too deeply');
    const value = yield* this.#computed(node);
    this.#depth--;
    return value;
  }

  *number(node: Expression): Steps<number> {
    return toNumber(yield* this.value(node));
  }

  *text(node: Expression): Steps<string> {
    return toText(yield* this.value(node), this.context.variables.convfmt);
  }

  *truth(node: Expression): Steps<boolean> {
    return isTrue(yield* this.value(node));
  }

  /** Returns the pattern of an operand: a regular expression, or any other expression whose text is the pattern. */
  *pattern(node: Expression): Steps<LinearPattern> {
    const { patterns, turns } = this.context;
    const source = node.type === 'regex' ? node.source : yield* this.text(node);
    if (!patterns.has(source) && turns.isDue(CHARS_OF_COMPILING)) yield* turns.give();
    return patterns.of(source);
  }

  *key(subscripts: readonly Expression[]): Steps<string> {
    const texts: string[] = [];
    for (const subscript of subscripts) texts.push(yield* this.text(subscript));
    return texts.length === 1 ? (texts[0] ?? '') : boundedText(texts.join(this.context.variables.text('SUBSEP')));
  }

  *assign(target: Target, value: Scalar): Steps<void> {
    const { variables, record } = this.context;
    if (target.type === 'field') yield* record.assign(Math.trunc(yield* this.number(target.index)), value);
    else if (target.type === 'element')
      variables.cell(target.array).array.set(yield* this.key(target.subscripts), value);
    else if (isFieldCount(target)) yield* record.setCount(Math.trunc(toNumber(value)));
    else variables.cell(target).value = value;
  }

  *#computed(node: Expression): Steps<Scalar> {
    switch (node.type) {
      case 'number':
      case 'string':
        return node.value;
      case 'regex': {
        const text = toText(yield* this.context.record.get(0), this.context.variables.convfmt);
        return Number(yield* this.#matches(text, this.context.patterns.of(node.source)));
      }
      case 'variable':
        return isFieldCount(node) ? yield* this.context.record.count() : this.context.variables.cell(node).value;
      case 'field':
        return yield* this.context.record.get(Math.trunc(yield* this.number(node.index)));
      case 'element': {
        const key = yield* this.key(node.subscripts);
        return this.context.variables.cell(node.array).array.get(key);
      }
      case 'group':
        return node.items[0] && (yield* this.value(node.items[0]));
      case 'assign': {
        const right = yield* this.value(node.value);
        const value = node.operator === '' ? right : arithmetic(node.operator, yield* this.number(node.target), toNumber(right)); // prettier-ignore
        yield* this.assign(node.target, value);
        return value;
      }
      case 'increment': {
        const before = yield* this.number(node.target);
        yield* this.assign(node.target, before + node.by);
        return node.isPrefix ? before + node.by : before;
      }
      case 'unary': {
        if (node.operator === '!') return Number(!(yield* this.truth(node.operand)));
        const number = yield* this.number(node.operand);
        return node.operator === '-' ? -number : number;
      }
      case 'binary':
        return yield* this.#binary(node.operator, yield* this.value(node.left), yield* this.value(node.right));
      case 'logical': {
        const left = yield* this.truth(node.left);
        return Number(left === (node.operator === '&&') ? yield* this.truth(node.right) : left);
      }
      case 'conditional':
        return yield* this.value((yield* this.truth(node.condition)) ? node.yes : node.no);
      case 'match': {
        const text = yield* this.text(node.text);
        return Number((yield* this.#matches(text, yield* this.pattern(node.pattern))) !== node.isNegated);
      }
      case 'in': {
        const key = yield* this.key(node.subscripts);
        return Number(this.context.variables.cell(node.array).array.has(key));
      }
      case 'builtin':
        return yield* callBuiltin(this, node.name, node.args);
      case 'call':
        return yield* this.#call(node.name, node.args);
      case 'getline':
        return yield* this.#getline(node.target, node.file);
    }
  }

  *#matches(text: string, pattern: LinearPattern): Steps<boolean> {
    const { turns } = this.context;
    if (turns.isDue(text.length * CHARS_OF_MATCH)) yield* turns.give();
    return pattern.test(text);
  }

  *#binary(operator: string, left: Scalar, right: Scalar): Steps<Scalar> {
    const { convfmt } = this.context.variables;
    if (operator === ' ') {
      const text = boundedText(toText(left, convfmt) + toText(right, convfmt));
      if (text.length > 256 && this.context.turns.isDue(text.length)) yield* this.context.turns.give();
      return text;
    }
    const order = COMPARISONS[operator];
    return order ? Number(order(compare(left, right, convfmt))) : arithmetic(operator, toNumber(left), toNumber(right));
  }

  *#call(name: string, args: readonly Expression[]): Steps<Scalar> {
    const called = this.#functions.get(name);
    if (!called) throw new AwkError(`calling undefined function ${name}`);
    if (args.length > called.parameters.length)
      throw new AwkError(`function ${name} called with ${args.length} args, accepts only ${called.parameters.length}`);
    const { variables } = this.context;
    const frame: Cell[] = [];
    for (const [at, parameter] of called.parameters.entries()) {
      const arg = args[at];
      const passed = arg?.type === 'variable' && !isFieldCount(arg) ? variables.cell(arg) : undefined;
      const cell = variables.parameter(parameter, passed?.isUntyped === true ? passed : undefined);
      if (passed?.isArray === true) cell.share(passed.array);
      else if (arg && passed?.isUntyped !== true) cell.value = yield* this.value(arg);
      frame.push(cell);
    }
    if (variables.frames.length >= MAX_CALLS) throw new AwkError('function calls nested too deeply');
    variables.frames.push(frame);
    const value = variables.frames.length % CALLS_PER_STACK === 0 ? yield* this.#onNewStack(called) : yield* this.#runFunction(called); // prettier-ignore
    variables.frames.pop();
    for (const cell of frame) cell.release();
    return value;
  }

  *#onNewStack(called: AwkFunction): Steps<Scalar> {
    const depth = this.#depth;
    this.#depth = 0;
    const value = yield* waitFor(() => runSteps(this.#runFunction(called), () => this.context.turns.check()));
    this.#depth = depth;
    return value;
  }

  /** Reads a record. Returns 1 with a record, 0 at the end, -1 for a file that cannot be read. */
  *#getline(target: Target | undefined, file: Expression | undefined): Steps<number> {
    const { files, input, record } = this.context;
    let text: string | undefined;
    if (file) {
      const name = yield* this.text(file);
      const reader = yield* waitFor(() => files.named(name));
      if (!reader) return -1;
      text = yield* input.read(reader);
    } else text = yield* input.next();
    if (text === undefined) return 0;
    if (target) yield* this.assign(target, inputValue(text));
    else record.set(text);
    return 1;
  }
}

/** To match one character takes as long as other work on this many characters. */
const CHARS_OF_MATCH = 64;
/** To compile a regular expression takes as long as other work on this many characters. */
const CHARS_OF_COMPILING = 32 * 1024;

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

function arithmetic(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '^':
      return left ** right;
    default:
      if (right === 0) throw new AwkError(`division by zero${operator === '%' ? ' in %' : ''}`);
      return operator === '%' ? left % right : left / right;
  }
}

function isFieldCount({ name, local }: VariableReference): boolean {
  return local === undefined && name === 'NF';
}
