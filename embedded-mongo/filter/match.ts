import { kindOf, MISSING, type BsonDocument } from '../values/document.js';
import { compareValues } from '../values/order.js';
import { someAt } from '../values/path.js';
import type { Comparison, Filter, Test } from './filter.js';

export type Matches = (document: BsonDocument) => boolean;

/** Turns a filter into a predicate over decoded documents. */
export function compileFilter(filter: Filter): Matches {
  if (filter.kind === 'field') {
    const { path } = filter;
    const test = compileTest(filter.test);
    return (document) => test((leaf) => someAt(document, path, leaf));
  }
  const branches = filter.branches.map(compileFilter);
  return filter.kind === 'and'
    ? (document) => branches.every((matches) => matches(document))
    : (document) => branches.some((matches) => matches(document));
}

/** Walks the values a field has, whole arrays included, until `leaf` returns true. See someAt. */
type Values = (leaf: (value: unknown) => boolean) => boolean;

type FieldMatches = (values: Values) => boolean;

/** A positive test holds when some value satisfies it; arrays count by element and as a whole. `$ne` holds when equality does not. */
function compileTest(test: Test): FieldMatches {
  if (test.op === 'exists') return (values) => values((value) => value !== MISSING) === test.wanted;
  if (test.op === 'ne') {
    const matches = compileTest({ op: 'eq', value: test.value });
    return (values) => !matches(values);
  }
  const holds = compileLeaf(test);
  return (values) => values((value) => (Array.isArray(value) && value.some(holds)) || holds(value));
}

function compileLeaf(test: Exclude<Test, { op: 'exists' | 'ne' }>): (value: unknown) => boolean {
  if (test.op === 'eq') return equals(test.value);
  if (test.op !== 'in') return compares(test.op, test.value);
  const tests = test.values.map(equals);
  return (value) => tests.some((holds) => holds(value));
}

function equals(wanted: unknown): (value: unknown) => boolean {
  if (wanted === null || wanted === undefined)
    return (value) => value === MISSING || value === null || value === undefined;
  if (typeof wanted === 'string') return (value) => value === wanted;
  return (value) => value !== MISSING && compareValues(value, wanted) === 0;
}

/** Only values of the same type compare: `{$gt: 5}` never matches a string. */
function compares(op: Comparison, bound: unknown): (value: unknown) => boolean {
  const kind = kindOf(bound);
  if (kind === 'null') return op === 'gte' || op === 'lte' ? equals(null) : () => false;
  if (kind === 'number' && Number.isNaN(bound)) return op === 'gte' || op === 'lte' ? equals(bound) : () => false;
  const sign = op === 'gt' || op === 'gte' ? 1 : -1;
  const orEqual = op === 'gte' || op === 'lte';
  return (value) => {
    // NaN is below every number in an order, but neither less nor greater in a filter.
    if (value === MISSING || kindOf(value) !== kind || Number.isNaN(value)) return false;
    const order = compareValues(value, bound) * sign;
    return order > 0 || (orEqual && order === 0);
  };
}
