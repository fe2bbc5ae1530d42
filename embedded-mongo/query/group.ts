import { CommandError, notSupported } from '../values/command-error.js';
import { isDocument, MISSING, type BsonDocument } from '../values/document.js';
import { appendIndexValue, KeyBytes } from '../values/index-key.js';
import { parsePath } from '../values/path.js';

/** Computes one field of a group from its documents. */
interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

type Evaluate = (document: BsonDocument) => unknown;

/** Documents in, one document for each group out. */
export type Group = (documents: Iterable<BsonDocument>) => Iterable<BsonDocument>;

/**
 * Reads `$group`. `_id` is an expression: a constant, a `$field`, or a document of these. Each other field is made by $sum or $first of such
 * an expression. Groups come in the order in which they were first met.
 */
export function parseGroup(operand: unknown): Group {
  if (!isDocument(operand) || !('_id' in operand))
    throw new CommandError('BadValue', 'a group specification must include an _id');
  const { _id, ...fields } = operand;
  const keyOf = parseExpression(_id);
  const outputs = Object.entries(fields).map(([name, field]) => ({ name, ...parseField(name, field) }));
  return function* (documents) {
    const groups = new Map<string, { id: unknown; accumulators: readonly Accumulator[] }>();
    for (const document of documents) {
      const value = keyOf(document);
      const id = value === MISSING ? null : value;
      const key = bytesOf(id);
      let group = groups.get(key);
      if (group === undefined) {
        group = { id, accumulators: outputs.map(({ start }) => start()) };
        groups.set(key, group);
      }
      for (const [at, accumulator] of group.accumulators.entries()) accumulator.add(outputs[at]?.evaluate(document));
    }
    for (const { id, accumulators } of groups.values()) {
      const results = accumulators.map((accumulator, at) => [outputs[at]?.name, accumulator.result()] as const);
      yield { _id: id, ...Object.fromEntries(results) };
    }
  };
}

function bytesOf(value: unknown): string {
  const key = new KeyBytes();
  appendIndexValue(key, value);
  return key.take().toString('latin1');
}

function parseField(name: string, field: unknown): { evaluate: Evaluate; start: () => Accumulator } {
  const [entry, ...others] = isDocument(field) ? Object.entries(field) : [];
  if (entry === undefined || others.length > 0)
    throw new CommandError('BadValue', `the field '${name}' of $group must be made by one accumulator`);
  const [operator, operand] = entry;
  const start = ACCUMULATORS[operator];
  if (start === undefined) throw notSupported(`the accumulator ${operator}`);
  return { evaluate: parseExpression(operand), start };
}

function parseExpression(expression: unknown): Evaluate {
  if (typeof expression === 'string' && expression.startsWith('$$')) throw notSupported(`the variable ${expression}`);
  if (typeof expression === 'string' && expression.startsWith('$')) {
    const path = parsePath(expression.slice(1));
    return (document) => path.reduce<unknown>(fieldWithin, document);
  }
  if (Array.isArray(expression)) throw notSupported('an array as an expression');
  if (!isDocument(expression)) return () => expression;
  const parts = Object.entries(expression).map(([name, inner]) => {
    if (name.startsWith('$')) throw notSupported(`the expression ${name}`);
    return [name, parseExpression(inner)] as const;
  });
  return (document) =>
    Object.fromEntries(
      parts.map(([name, evaluate]) => [name, evaluate(document)] as const).filter(([, value]) => value !== MISSING),
    );
}

/** Returns a field of a value, or of each element of an array. A number in a path is the name of a field, not a position. */
function fieldWithin(value: unknown, name: string): unknown {
  if (Array.isArray(value))
    return value.map((element) => fieldWithin(element, name)).filter((element) => element !== MISSING);
  return isDocument(value) && Object.hasOwn(value, name) ? value[name] : MISSING;
}

const ACCUMULATORS: Readonly<Record<string, () => Accumulator>> = {
  // Adds numbers; other values do not count.
  $sum: () => {
    let total = 0;
    return {
      add: (value) => {
        if (typeof value === 'number') total += value;
      },
      result: () => total,
    };
  },
  $first: () => {
    let first: unknown;
    let met = false;
    return {
      add: (value) => {
        if (!met) first = value;
        met = true;
      },
      result: () => (first === MISSING ? null : first),
    };
  },
};
