import { CommandError } from '../values/command-error.js';
import { PRIMARY_INDEX_NAME, type Collection, type Index } from '../store/catalog.js';
import { partial } from '../store/index-entries.js';
import type { Interval } from '../store/view.js';
import { kindOf } from '../values/document.js';
import { compareValues } from '../values/order.js';
import { boundsOf, demandsOf, type Demands } from './bounds.js';
import type { Filter, Test } from '../filter/filter.js';
import type { SortSpec } from './sort.js';

/** How the candidates of a query are found. The filter is applied to each of them in any case. */
export interface Plan {
  /** Absent: the documents themselves are walked, in the order of `_id`. */
  readonly index?: Index;
  readonly intervals: readonly Interval[];
  /** Whether each interval is one whole key of a unique index or of `_id`. Such an interval starts with that key and holds no other. */
  readonly exact: boolean;
  readonly reverse: boolean;
  /** Whether candidates come in the wanted order already. */
  readonly sorted: boolean;
  /** Whether a document may come up more than once. */
  readonly repeats: boolean;
}

interface Candidate extends Plan {
  readonly worth: number;
}

/**
 * Chooses the index that confines the query most. Fields that the filter limits to values count most, then a range, then an order that
 * saves sorting. On a tie, a sparse or partial index wins, as it leaves out documents. Without a usable index, the whole
 * collection is walked. There are no statistics, so the choice depends on the query alone.
 *
 * @param hint the name of the index to use. It is refused when there is no such index, or the index may lack matches
 */
export function planQuery(collection: Collection, filter: Filter, sort: SortSpec = [], hint?: unknown): Plan {
  const demands = demandsOf(filter);
  const primary = candidate(collection, undefined, demands, sort);
  const usable = collection.indexes.filter((index) => holdsEveryMatch(index, demands));
  if (hint !== undefined)
    return hinted(hint, [primary, ...usable.map((index) => candidate(collection, index, demands, sort))]);
  let best = primary;
  for (const index of usable) {
    if (best.worth >= COMPLETE) break;
    const next = candidate(collection, index, demands, sort);
    if (next.worth > best.worth) best = next;
  }
  return best;
}

/** The score of an equality on every field of a unique index: the highest, so the search ends there. */
const COMPLETE = 100;

function candidate(collection: Collection, index: Index | undefined, demands: Demands, sort: SortSpec): Candidate {
  const target = index ?? primaryIndex(collection);
  const { intervals, points, ranged } = boundsOf(target, demands);
  const multikey = target.fields.some((field) => field.multikey);
  const direction = multikey ? undefined : directionFor(target, points, sort);
  const exact = (index?.unique ?? true) && points.length === target.fields.length;
  return {
    ...(index !== undefined && { index }),
    intervals,
    exact,
    reverse: direction === -1,
    sorted: sort.length === 0 || direction !== undefined,
    repeats: multikey,
    worth:
      (exact ? COMPLETE : 0) +
      points.length * 10 +
      (ranged ? 5 : 0) +
      (sort.length > 0 && direction !== undefined ? 3 : 0) +
      (index !== undefined && (index.sparse || index.partialFilter !== undefined) ? 1 : 0),
  };
}

function primaryIndex(collection: Collection): Pick<Index, 'id' | 'fields'> {
  return { id: collection.id, fields: [{ name: '_id', path: ['_id'], direction: 1, multikey: false }] };
}

/**
 * The direction in which walking the index yields the wanted order, or undefined when it cannot. Fields held to one value
 * do not disturb an order; a field held to several does, unless it is the one sorted by.
 */
function directionFor(index: Pick<Index, 'fields'>, points: readonly number[], sort: SortSpec): 1 | -1 | undefined {
  const constant = new Set(index.fields.filter((_, at) => points[at] === 1).map(({ name }) => name));
  let direction: 1 | -1 | undefined;
  let at = 0;
  for (const { name, direction: wanted } of sort) {
    if (constant.has(name)) continue;
    while (constant.has(index.fields[at]?.name ?? '')) at++;
    const field = index.fields[at];
    if (field?.name !== name) return undefined;
    const turn = field.direction === wanted ? 1 : -1;
    direction ??= turn;
    if (direction !== turn) return undefined;
    at++;
  }
  return direction ?? 1;
}

/** Whether the index surely has every document that matches, even if it is sparse or partial. */
function holdsEveryMatch(index: Index, demands: Demands): boolean {
  if (index.sparse && !index.fields.some(({ name }) => demands.get(name)?.some(impliesPresence) === true)) return false;
  return index.partialFilter === undefined || implies(demands, partial(index.partialFilter).parsed);
}

function implies(demands: Demands, filter: Filter): boolean {
  if (filter.kind === 'and') return filter.branches.every((branch) => implies(demands, branch));
  if (filter.kind !== 'field') return false;
  const tests = demands.get(filter.path.join('.')) ?? [];
  return tests.some((test) => impliesTest(test, filter.test));
}

function impliesTest(known: Test, wanted: Test): boolean {
  if (wanted.op === 'exists' && wanted.wanted) return impliesPresence(known);
  if (wanted.op === 'eq' && known.op === 'eq') return compareValues(known.value, wanted.value) === 0;
  return false;
}

function impliesPresence(test: Test): boolean {
  switch (test.op) {
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return kindOf(test.value) !== 'null';
    case 'in':
      return !test.values.some((value) => kindOf(value) === 'null');
    case 'exists':
      return test.wanted;
    case 'ne': // `{$ne: null}` also matches a document without a value, on a path through an empty array
      return false;
  }
}

function hinted(hint: unknown, candidates: readonly Candidate[]): Plan {
  const chosen = candidates.find(({ index }) => (index?.name ?? PRIMARY_INDEX_NAME) === hint);
  if (chosen === undefined)
    throw new CommandError('BadValue', 'hint provided does not correspond to an existing index that fits the query');
  return chosen;
}
