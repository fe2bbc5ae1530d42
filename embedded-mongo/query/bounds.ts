import type { Index, IndexField } from '../store/catalog.js';
import { tablePrefix, type Interval } from '../store/view.js';
import { kindOf } from '../values/document.js';
import { afterPrefix, appendIndexValue, KeyBytes } from '../values/index-key.js';
import { RANKS } from '../values/order.js';
import type { Filter, Test } from '../filter/filter.js';

export interface Bounds {
  /** In key order, disjoint. Together they hold every document that can match; the filter still has to be applied. */
  readonly intervals: readonly Interval[];
  /** For each leading field that the filter limits to certain values: the number of values. */
  readonly points: readonly number[];
  /** Whether the filter limits the next field after those to a range. */
  readonly ranged: boolean;
}

/** The tests of a filter that every match meets, by the field's dotted path. Tests below `$or` are not among them. */
export type Demands = ReadonlyMap<string, readonly Test[]>;

export function demandsOf(filter: Filter): Demands {
  const demands = new Map<string, Test[]>();
  const visit = (part: Filter): void => {
    if (part.kind === 'and') part.branches.forEach(visit);
    else if (part.kind === 'field') {
      const name = part.path.join('.');
      demands.set(name, [...(demands.get(name) ?? []), part.test]);
    }
  };
  visit(filter);
  return demands;
}

/** Most intervals that are worth reading. An `$in` field that would exceed them is left to the filter, as are all fields after it. */
const MAX_INTERVALS = 512;

/**
 * Returns the intervals of an index that hold all matches of a filter. The filter limits leading fields to values, and then at most one
 * field to a range.
 *
 * A field is multikey if some document has an array in it. The bounds end before the second multikey field. A document may meet the tests on
 * two such fields by different elements, which have different entries.
 */
export function boundsOf(index: Pick<Index, 'id' | 'fields'>, demands: Demands): Bounds {
  let prefixes = [tablePrefix(index.id)];
  const points: number[] = [];
  let multikeyUsed = false;
  for (const field of index.fields) {
    if (field.multikey && multikeyUsed) break;
    const tests = demands.get(field.name) ?? [];
    const values = pointsOf(tests);
    if (values === undefined) {
      const intervals = rangesOf(prefixes, field, tests);
      if (intervals !== undefined) return { intervals, points, ranged: true };
      break;
    }
    if (prefixes.length * values.length > MAX_INTERVALS) break;
    prefixes = prefixes.flatMap((prefix) => sortedKeys(values.map((value) => extended(prefix, value, field))));
    points.push(values.length);
    multikeyUsed ||= field.multikey;
  }
  return { intervals: prefixes.map((prefix) => ({ start: prefix, end: afterPrefix(prefix) })), points, ranged: false };
}

/** Returns the values to which one of the tests limits a field. Undefined: no test limits the field to values. */
function pointsOf(tests: readonly Test[]): readonly unknown[] | undefined {
  for (const test of tests) {
    if (test.op === 'eq' && !Array.isArray(test.value)) return [test.value];
    // An array among the values may equal a whole array in a document, for which the index has no entry.
    if (test.op === 'in' && !test.values.some(Array.isArray)) return test.values;
    if ((test.op === 'gte' || test.op === 'lte') && kindOf(test.value) === 'null') return [null];
  }
  return undefined;
}

function rangesOf(prefixes: readonly Buffer[], field: IndexField, tests: readonly Test[]): Interval[] | undefined {
  const usable = tests.filter(isRange);
  // Only one bound is used for an array: one element may meet the lower bound, and another element the upper one.
  const applied = field.multikey ? usable.slice(0, 1) : usable;
  if (applied.length === 0) return undefined;
  return prefixes.flatMap((prefix) => {
    const intervals = applied.map((test) => rangeOf(prefix, field, test));
    const start = intervals.map((interval) => interval.start).reduce((a, b) => (Buffer.compare(a, b) > 0 ? a : b));
    const end = intervals.map((interval) => interval.end).reduce((a, b) => (Buffer.compare(a, b) < 0 ? a : b));
    return Buffer.compare(start, end) < 0 ? [{ start, end }] : [];
  });
}

type RangeTest = Extract<Test, { op: 'gt' | 'gte' | 'lt' | 'lte' }>;

function isRange(test: Test): test is RangeTest {
  if (test.op !== 'gt' && test.op !== 'gte' && test.op !== 'lt' && test.op !== 'lte') return false;
  return !Array.isArray(test.value) && kindOf(test.value) !== 'null' && !Number.isNaN(test.value);
}

/** Returns the keys from the bound to the end of the value's type, or from the start of that type to the bound. */
function rangeOf(prefix: Buffer, field: IndexField, { op, value }: RangeTest): Interval {
  const typePrefix = Buffer.concat([prefix, Buffer.of(RANKS[kindOf(value)] ^ (field.direction === 1 ? 0 : 0xff))]);
  const bound = extended(prefix, value, field);
  const upwards = (op === 'gt' || op === 'gte') === (field.direction === 1);
  const inclusive = op === 'gte' || op === 'lte';
  return upwards
    ? { start: inclusive ? bound : afterPrefix(bound), end: afterPrefix(typePrefix) }
    : { start: typePrefix, end: inclusive ? afterPrefix(bound) : bound };
}

function extended(prefix: Buffer, value: unknown, field: IndexField): Buffer {
  const key = new KeyBytes();
  key.bytes(prefix);
  appendIndexValue(key, value, field.direction);
  return key.take();
}

function sortedKeys(keys: Buffer[]): Buffer[] {
  return keys
    .sort((a, b) => Buffer.compare(a, b))
    .filter((key, at) => at === 0 || !key.equals(keys[at - 1] ?? Buffer.alloc(0)));
}
