import { isDocument, kindOf, MISSING, type BsonDocument } from '../values/document.js';
import { compareValues } from '../values/order.js';
import { someAt } from '../values/path.js';
import type { Comparison, Filter, Test, TypeName } from './filter.js';

export type Matches = (document: BsonDocument) => boolean;

/** Turns a filter into a predicate over decoded documents. */
export function compileFilter(filter: Filter): Matches {
  if (filter.kind === 'field') {
    const { path } = filter;
    const test = compileTest(filter.test);
    return (document) => test((leaf) => someAt(document, path, leaf));
  }
  const branches = filter.branches.map(compileFilter);
  switch (filter.kind) {
    case 'and':
      return (document) => branches.every((matches) => matches(document));
    case 'or':
      return (document) => branches.some((matches) => matches(document));
    case 'nor':
      return (document) => !branches.some((matches) => matches(document));
  }
}

/** Walks the values a field has, whole arrays included, until the leaf says true. See someAt. */
type Values = (leaf: (value: unknown) => boolean) => boolean;

type FieldMatches = (values: Values) => boolean;

/**
 * A positive test holds when some value satisfies it; arrays count by element and as a whole. `$not`, `$ne` and `$nin` hold
 * exactly when the positive test does not.
 */
function compileTest(test: Test): FieldMatches {
  switch (test.op) {
    case 'not': {
      const tests = test.tests.map(compileTest);
      return (values) => !tests.every((matches) => matches(values));
    }
    case 'all': {
      const tests = test.tests.map(compileTest);
      return (values) => tests.length > 0 && tests.every((matches) => matches(values));
    }
    case 'exists':
      return (values) => values((value) => value !== MISSING) === test.wanted;
    case 'size':
      return (values) => values((value) => Array.isArray(value) && value.length === test.size);
    case 'elemMatch': {
      const matches = compileFilter(test.filter);
      return (values) => values((value) => Array.isArray(value) && value.some((it) => isDocument(it) && matches(it)));
    }
    case 'elemMatchValue': {
      const tests = test.tests.map(compileTest);
      // An element is tested for itself: what it holds, when it is an array, is not entered.
      const matches = (element: unknown): boolean => tests.every((one) => one((leaf) => leaf(element)));
      return (values) => values((value) => Array.isArray(value) && value.some(matches));
    }
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'in':
    case 'type': {
      const holds = compileLeaf(test);
      return (values) => values((value) => (Array.isArray(value) && value.some(holds)) || holds(value));
    }
  }
}

type LeafTest = Extract<Test, { op: 'eq' | Comparison | 'in' | 'type' }>;

function compileLeaf(test: LeafTest): (value: unknown) => boolean {
  switch (test.op) {
    case 'eq':
      return equals(test.value);
    case 'in': {
      const tests = test.values.map(equals);
      return (value) => tests.some((holds) => holds(value));
    }
    case 'type':
      return (value) => value !== MISSING && test.types.some((type) => hasType(value, type));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compares(test.op, test.value);
  }
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

function hasType(value: unknown, type: TypeName): boolean {
  const kind = kindOf(value);
  switch (type) {
    case 'bool':
      return kind === 'boolean';
    case 'binData':
      return kind === 'binary';
    case 'int':
      return kind === 'number' && isInt32(value as number);
    case 'double':
      return kind === 'number' && !isInt32(value as number);
    default:
      return kind === type;
  }
}

/** Whether the driver writes this number as an int32. All others are doubles. */
function isInt32(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}
