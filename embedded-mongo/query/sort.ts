import { CommandError, notSupported } from '../values/command-error.js';
import { isDocument, MISSING, type BsonDocument } from '../values/document.js';
import { compareValues } from '../values/order.js';
import { parsePath, someAt, type Path } from '../values/path.js';

export type SortSpec = readonly SortField[];

export interface SortField {
  readonly name: string;
  readonly path: Path;
  readonly direction: 1 | -1;
}

/** Reads `{a: 1, 'b.c': -1}`. Absent means no order. */
export function parseSort(sort: unknown): SortSpec {
  if (sort === undefined || sort === null) return [];
  if (!isDocument(sort)) throw new CommandError('TypeMismatch', 'the sort must be a document');
  return Object.entries(sort).map(([name, direction]) => {
    if (isDocument(direction)) throw notSupported(`the sort ${Object.keys(direction)[0] ?? name}`);
    if (direction !== 1 && direction !== -1)
      throw new CommandError('BadValue', `the sort direction of '${name}' must be 1 or -1`);
    if (name === '$natural') throw notSupported('the sort $natural');
    return { name, path: parsePath(name), direction };
  });
}

/** The sort key of a document, extracted once. */
export type SortKey = readonly unknown[];

/**
 * Extracts the sort key. An array counts as its least element when ascending, and as its greatest when descending. An empty array counts as
 * less than null. A missing field counts as null.
 */
export function sortKeyOf(document: BsonDocument, spec: SortSpec): SortKey {
  return spec.map(({ path, direction }) => {
    let chosen: unknown = MISSING;
    const offer = (value: unknown): void => {
      if (chosen === MISSING || compareSortValues(value, chosen) * direction < 0) chosen = value;
    };
    someAt(document, path, (value) => {
      if (!Array.isArray(value)) offer(value === MISSING ? null : value);
      else if (value.length === 0) offer(BELOW_NULL);
      else value.forEach(offer);
      return false;
    });
    return chosen === MISSING ? null : chosen;
  });
}

const BELOW_NULL = Symbol('below null');

export function compareSortKeys(left: SortKey, right: SortKey, spec: SortSpec): number {
  for (const [at, { direction }] of spec.entries()) {
    const order = compareSortValues(left[at], right[at]);
    if (order !== 0) return order * direction;
  }
  return 0;
}

function compareSortValues(left: unknown, right: unknown): number {
  if (left === BELOW_NULL || right === BELOW_NULL) return Number(right === BELOW_NULL) - Number(left === BELOW_NULL);
  return compareValues(left, right);
}
