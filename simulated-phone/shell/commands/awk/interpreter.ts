import type { AwkContext } from './context.js';
import { Evaluator } from './evaluator.js';
import { formatText } from './format-text.js';
import { waitFor, type Steps } from './steps.js';
import type { Expression, OutputTarget, Program, Rule, Statement } from './syntax-tree.js';
import { toText, type Scalar } from './values.js';

/** How a statement ended: undefined for the usual end, else the jump out of a loop or function. */
type Outcome = 'break' | 'continue' | 'return' | undefined;

/** Runs a program. */
export class Interpreter {
  readonly #context: AwkContext;
  readonly #program: Program;
  readonly #evaluator: Evaluator;
  /** The ranges that have begun and not ended. */
  readonly #open = new Set<Rule>();
  #status = 0;
  #returned: Scalar;

  constructor(context: AwkContext, program: Program) {
    this.#context = context;
    this.#program = program;
    this.#evaluator = new Evaluator(context, program.functions, (called) => this.#runFunction(called.body));
  }

  /** Runs the whole program and returns its exit status. After `exit` the actions of END still run, as in one-true-awk. */
  *run(): Steps<number> {
    const { begin, rules, end } = this.#program;
    const goesOn = yield* this.#runAll(begin);
    if (goesOn && rules.length + end.length > 0) yield* this.#runRules();
    yield* this.#runAll(end);
    return this.#status;
  }

  /** Runs actions one after the other. Returns false after `exit`. */
  *#runAll(actions: readonly Statement[]): Steps<boolean> {
    for (const action of actions) if ((yield* this.#guarded(this.#execute(action))) === 'exit') return false;
    return true;
  }

  *#runRules(): Steps<void> {
    const { input, record } = this.#context;
    for (let text = yield* input.next(); text !== undefined; text = yield* input.next()) {
      record.set(text);
      const jump = yield* this.#guarded(this.#runRecord());
      if (jump === 'exit') return;
      if (jump === 'nextfile') yield* input.skipFile();
    }
  }

  *#runRecord(): Steps<void> {
    const { turns } = this.#context;
    for (const rule of this.#program.rules) {
      if (turns.isDue()) yield* turns.give();
      if (!(yield* this.#isChosen(rule))) continue;
      if (rule.action) yield* this.#execute(rule.action);
      else yield* this.#print([], false, undefined);
    }
  }

  *#isChosen(rule: Rule): Steps<boolean> {
    if (!rule.from) return true;
    if (!rule.to) return yield* this.#evaluator.truth(rule.from);
    if (!this.#open.has(rule)) {
      if (!(yield* this.#evaluator.truth(rule.from))) return false;
      this.#open.add(rule);
    }
    if (yield* this.#evaluator.truth(rule.to)) this.#open.delete(rule);
    return true;
  }

  /** Runs steps and returns the jump that ended them. */
  *#guarded(steps: Steps<unknown>): Steps<Jump['kind'] | undefined> {
    this.#evaluator.reset();
    try {
      yield* steps;
      return undefined;
    } catch (error) {
      if (error instanceof Jump) return error.kind;
      throw error;
    }
  }

  *#runFunction(body: Statement): Steps<Scalar> {
    this.#returned = undefined;
    yield* this.#execute(body);
    const value = this.#returned;
    this.#returned = undefined;
    return value;
  }

  *#execute(node: Statement): Steps<Outcome> {
    const evaluator = this.#evaluator;
    const { turns, variables } = this.#context;
    if (turns.isDue()) yield* turns.give();
    switch (node.type) {
      case 'block':
        for (const statement of node.statements) {
          const outcome = yield* this.#execute(statement);
          if (outcome) return outcome;
        }
        return undefined;
      case 'expression':
        yield* evaluator.value(node.expression);
        return undefined;
      case 'print':
        yield* this.#print(yield* this.#values(node.args), node.isFormatted, node.to);
        return undefined;
      case 'if':
        if (yield* evaluator.truth(node.condition)) return yield* this.#execute(node.yes);
        return node.no && (yield* this.#execute(node.no));
      case 'while':
        while (yield* evaluator.truth(node.condition)) {
          const outcome = yield* this.#turn(node.body);
          if (outcome) return ended(outcome);
        }
        return undefined;
      case 'do':
        do {
          const outcome = yield* this.#turn(node.body);
          if (outcome) return ended(outcome);
        } while (yield* evaluator.truth(node.condition));
        return undefined;
      case 'for':
        if (node.first) yield* this.#execute(node.first);
        while (!node.condition || (yield* evaluator.truth(node.condition))) {
          const outcome = yield* this.#turn(node.body);
          if (outcome) return ended(outcome);
          if (node.next) yield* this.#execute(node.next);
        }
        return undefined;
      case 'for-in':
        for (const key of yield* variables.cell(node.array).array.keys(turns)) {
          yield* evaluator.assign(node.variable, key);
          const outcome = yield* this.#turn(node.body);
          if (outcome) return ended(outcome);
        }
        return undefined;
      case 'delete':
        if (node.subscripts) variables.cell(node.array).array.delete(yield* evaluator.key(node.subscripts));
        else variables.cell(node.array).array.clear();
        return undefined;
      case 'return':
        this.#returned = node.value && (yield* evaluator.value(node.value));
        return 'return';
      case 'exit':
        if (node.status) this.#status = Math.trunc(yield* evaluator.number(node.status)) & 0xff;
        throw new Jump('exit');
      case 'jump':
        if (node.kind === 'break' || node.kind === 'continue') return node.kind;
        throw new Jump(node.kind);
    }
  }

  /** Runs one turn of a loop, which `continue` ends as well. */
  *#turn(body: Statement): Steps<Outcome> {
    const { turns } = this.#context;
    if (turns.isDue()) yield* turns.give();
    const outcome = yield* this.#execute(body);
    return outcome === 'continue' ? undefined : outcome;
  }

  *#values(args: readonly Expression[]): Steps<Scalar[]> {
    const values: Scalar[] = [];
    for (const arg of args) values.push(yield* this.#evaluator.value(arg));
    return values;
  }

  *#print(values: readonly Scalar[], isFormatted: boolean, to: OutputTarget | undefined): Steps<void> {
    const { output, record, turns, variables } = this.#context;
    const format = variables.text('OFMT');
    let text: string;
    if (isFormatted) text = formatText(toText(values[0], format), values.slice(1), variables.convfmt);
    else {
      const shown = values.length > 0 ? values : [yield* record.get(0)];
      text = shown.map((value) => toText(value, format)).join(variables.text('OFS')) + variables.text('ORS');
    }
    const name = to && (yield* this.#evaluator.text(to.file));
    const file = output.opened(name) ?? (yield* waitFor(() => output.open(name ?? '', to?.append === true)));
    if (turns.isDue(text.length)) yield* turns.give();
    if (file.add(text)) yield* waitFor(() => file.flush());
  }
}

/** Returns the outcome of a loop, by that of its last turn. `break` and `continue` have no effect beyond the loop. */
function ended(outcome: Outcome): Outcome {
  return outcome === 'return' ? outcome : undefined;
}

/** Is thrown to end the action that runs, from within a function or an expression. */
class Jump extends Error {
  override name = 'Jump';
  readonly kind: 'next' | 'nextfile' | 'exit';

  constructor(kind: Jump['kind']) {
    super(kind);
    this.kind = kind;
  }
}
