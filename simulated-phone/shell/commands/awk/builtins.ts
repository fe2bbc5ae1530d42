import { AwkError } from './awk-error.js';
import { MAX_TEXT_CHARS, detached } from './cells.js';
import { cutFields } from './cut-fields.js';
import { formatText } from './format-text.js';
import type { Operands } from './operands.js';
import { waitFor, type Steps } from './steps.js';
import { substitute } from './substitute.js';
import type { Expression } from './syntax-tree.js';
import { inputValue, toText, type Scalar } from './values.js';

type Builtin = (operands: Operands, args: readonly Expression[]) => Steps<Scalar>;

const WHOLE_RECORD: Expression = { type: 'field', index: { type: 'number', value: 0 } };
const FIELD_SEPARATOR: Expression = { type: 'variable', name: 'FS', local: undefined };

/** Calls a function of the language. The parser has counted its arguments. */
export function* callBuiltin(operands: Operands, name: string, args: readonly Expression[]): Steps<Scalar> {
  const builtin = TABLE[name];
  if (!builtin) throw new AwkError(`calling undefined function ${name}`);
  return yield* builtin(operands, args);
}

function* textOf(operands: Operands, node: Expression | undefined): Steps<string> {
  const text = node ? yield* operands.text(node) : '';
  const { turns } = operands.context;
  if (text.length > 256 && turns.isDue(text.length)) yield* turns.give();
  return text;
}

function* numberOf(operands: Operands, node: Expression | undefined): Steps<number> {
  return node ? yield* operands.number(node) : 0;
}

function ofNumber(compute: (value: number) => number): Builtin {
  return function* (operands, [value]) {
    return compute(yield* numberOf(operands, value));
  };
}

/** Computes a value. A result that is no number is reported, and 1 is used in its place. */
function checked(name: string, compute: (value: number) => number): Builtin {
  return function* (operands, [value]) {
    const result = compute(yield* numberOf(operands, value));
    if (Number.isFinite(result)) return result;
    const { output } = operands.context;
    const reason = Number.isNaN(result) ? 'argument out of domain' : 'result out of range';
    const isFull = output.opened('/dev/stderr')?.add(`awk: ${name} ${reason}\n`);
    if (isFull === true) yield* waitFor(() => output.flush());
    return 1;
  };
}

function* length(operands: Operands, [of]: readonly Expression[]): Steps<Scalar> {
  if (of?.type === 'variable' && of.name !== 'NF') {
    const cell = operands.context.variables.cell(of);
    if (cell.isArray) return cell.array.size;
  }
  return charCount(yield* textOf(operands, of ?? WHOLE_RECORD));
}

function* substr(operands: Operands, [of, from, most]: readonly Expression[]): Steps<Scalar> {
  const text = yield* textOf(operands, of);
  const first = Math.max(1, Math.trunc(yield* numberOf(operands, from)) || 0);
  const chars = most ? Math.max(0, Math.trunc(yield* operands.number(most)) || 0) : Infinity;
  if (charCount(text) === text.length) return detached(text.slice(first - 1, first - 1 + chars), text);
  return Array.from(text).slice(first - 1, first - 1 + chars).join(''); // prettier-ignore
}

function* index(operands: Operands, [of, part]: readonly Expression[]): Steps<Scalar> {
  const text = yield* textOf(operands, of);
  const at = text.indexOf(yield* textOf(operands, part));
  return at < 0 ? 0 : charCount(text.slice(0, at)) + 1;
}

function* split(operands: Operands, [of, to, separator]: readonly Expression[]): Steps<Scalar> {
  if (to?.type !== 'variable') throw new AwkError('split needs an array');
  const { patterns, turns, variables } = operands.context;
  const text = yield* textOf(operands, of);
  const by = separator?.type === 'regex' ? patterns.of(separator.source) : yield* operands.text(separator ?? FIELD_SEPARATOR); // prettier-ignore
  const parts = yield* cutFields(text, by, { patterns, turns });
  const { array } = variables.cell(to);
  array.clear();
  for (const [at, part] of parts.entries()) {
    if (turns.isDue()) yield* turns.give();
    array.set(String(at + 1), inputValue(part));
  }
  return parts.length;
}

function* match(operands: Operands, [of, by]: readonly Expression[]): Steps<Scalar> {
  const text = yield* textOf(operands, of);
  const found = by && (yield* operands.pattern(by)).find(text);
  const start = found ? charCount(text.slice(0, found.start)) + 1 : 0;
  const { variables } = operands.context;
  variables.global('RSTART').value = start;
  variables.global('RLENGTH').value = found ? charCount(text.slice(found.start, found.end)) : -1;
  return start;
}

function replacing(isEverywhere: boolean): Builtin {
  return function* (operands, [by, replacement, target = WHOLE_RECORD]) {
    if (!by) return 0;
    const pattern = yield* operands.pattern(by);
    const text = yield* textOf(operands, replacement);
    const before = yield* textOf(operands, target);
    const { count, result } = yield* substitute(before, pattern, text, {
      isEverywhere,
      turns: operands.context.turns,
    });
    if (count === 0) return 0;
    const to = target.type === 'group' ? target.items[0] : target;
    if (to?.type === 'variable' || to?.type === 'element' || to?.type === 'field') yield* operands.assign(to, result);
    return count;
  };
}

function* sprintf(operands: Operands, args: readonly Expression[]): Steps<Scalar> {
  const values: Scalar[] = [];
  for (const arg of args) values.push(yield* operands.value(arg));
  const { convfmt } = operands.context.variables;
  return formatText(toText(values[0], convfmt), values.slice(1), convfmt);
}

/** Returns the number of characters, in which a surrogate pair counts as one. */
function charCount(text: string): number {
  if (!/[\ud800-\udbff]/.test(text)) return text.length;
  let pairs = 0;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) pairs++;
  return text.length - pairs;
}

const TABLE: Readonly<Record<string, Builtin>> = {
  length,
  substr,
  index,
  split,
  match,
  sub: replacing(false),
  gsub: replacing(true),
  sprintf,
  *tolower(operands, [of]) {
    return (yield* textOf(operands, of)).toLowerCase();
  },
  *toupper(operands, [of]) {
    const text = (yield* textOf(operands, of)).toUpperCase();
    if (text.length > MAX_TEXT_CHARS) throw new RangeError('a text too long');
    return text;
  },
  int: ofNumber(Math.trunc),
  sqrt: checked('sqrt', Math.sqrt),
  exp: checked('exp', Math.exp),
  log: checked('log', Math.log),
  sin: ofNumber(Math.sin),
  cos: ofNumber(Math.cos),
  *atan2(operands, [y, x]) {
    return Math.atan2(yield* numberOf(operands, y), yield* numberOf(operands, x));
  },
  // eslint-disable-next-line require-yield -- it waits for nothing
  *rand({ context }) {
    return context.random.next();
  },
  *srand(operands, [seed]) {
    const { clock, random } = operands.context;
    return random.seed(seed ? yield* operands.number(seed) : Math.floor(clock.now() / 1_000));
  },
  *close(operands, [of]) {
    const name = yield* textOf(operands, of);
    const { files, output } = operands.context;
    return yield* waitFor(async () => {
      const closed = [await output.close(name), await files.close(name)];
      return closed.includes(true) ? 0 : -1;
    });
  },
  *fflush({ context }) {
    yield* waitFor(() => context.output.flush());
    return 0;
  },
};
