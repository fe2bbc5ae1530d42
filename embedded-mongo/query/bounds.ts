import type { Index, IndexField } from '../store/catalog.js';
import { kindOf } from '../values/document.js';
import { afterPrefix, appendIndexValue, KeyBytes } from '../values/index-key.js';
import { RANKS } from '../values/order.js';
import type { Filter, Test } from './filter.js';

/** Keys from `start` up to, without, `end`. */
export interface Interval {
  readonly start: Buffer;
  readonly end: Buffer;
}

export interface Bounds {
  /** In key order, disjoint. Together they hold every document that can match; the filter still has to be applied. */
  readonly intervals: readonly Interval[];
  /** For each leading field held to certain values: how many. */
  readonly points: readonly number[];
  /** Whether the field after those is held to a range. */
  readonly ranged: boolean;
}

/** The conditions of a filter on each field that always apply: the tests not below `$or`, by dotted path. */
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

/** More intervals than this are not worth it: further `$in` fields are left to the filter. */
const MAX_INTERVALS = 512;

/**
 * The stretches of an index that a filter confines its matches to: leading fields held to values, then at most one range.
 *
 * Of the fields through which some document has an array, only the first is used: the tests on two such fields may be met
 * by different elements, whose values are then in different entries.
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

export function tablePrefix(id: number): Buffer {
  const prefix = Buffer.allocUnsafe(4);
  prefix.writeUInt32BE(id);
  return prefix;
}

/** The values that one of the tests confines the field to, or undefined when none does. */
function pointsOf(tests: readonly Test[]): readonly unknown[] | undefined {
  for (const test of tests) {
    if (test.op === 'eq' && !Array.isArray(test.value)) return [test.value];
    // An array may equal the field as a whole, and arrays have no entry as a whole.
    if (test.op === 'in' && !test.values.some(Array.isArray)) return test.values;
    if ((test.op === 'gte' || test.op === 'lte') && kindOf(test.value) === 'null') return [null];
  }
  return undefined;
}

function rangesOf(prefixes: readonly Buffer[], field: IndexField, tests: readonly Test[]): Interval[] | undefined {
  const usable = tests.filter(isRange);
  // Two bounds on an array may be met by two elements, neither of which need lie between them.
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

/** From the bound to the end of its type, or from the start of its type to the bound. */
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
