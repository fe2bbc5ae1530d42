import { channel } from 'node:diagnostics_channel';
import { serialize } from 'bson';
import { CommandError } from '../values/command-error.js';
import { PRIMARY_INDEX_NAME, type Collection } from '../store/catalog.js';
import type { View } from '../store/view.js';
import { matchesOf, type Match } from './candidates.js';
import type { Filter } from '../filter/filter.js';
import { compileFilter } from '../filter/match.js';
import { planQuery } from './plan.js';
import type { Project } from './projection.js';
import { compareSortKeys, sortKeyOf, type SortKey, type SortSpec } from './sort.js';

export interface Query {
  readonly filter: Filter;
  readonly sort: SortSpec;
  /** 0 for no limit. */
  readonly limit: number;
  readonly hint?: unknown;
}

/** The cost of one query, also of one inside a write: see {@link queries}. */
export interface QueryCost {
  readonly namespace: string;
  /** The name of the index that was walked. */
  readonly index: string;
  /** Documents that were read. */
  examined: number;
  /** Documents that were found and taken: at most `examined`. */
  returned: number;
}

/** Receives a QueryCost at the end of each query, in the thread of the server. For tests: without a subscriber nothing is published. */
export const queries = channel('embedded-mongo:query');

/** MongoDB's limit for a sort that no index provides, in bytes of documents held. */
const MAX_SORT_BYTES = 100 * 1024 * 1024;

/** Yields the documents of a query in order, up to the limit. Without a sort in memory, each document is found when the caller takes it. */
export function* runQuery(view: View, collection: Collection, query: Query): Generator<Match> {
  const plan = planQuery(collection, query.filter, query.sort, query.hint);
  const index = plan.index?.name ?? PRIMARY_INDEX_NAME;
  const cost: QueryCost = { namespace: collection.namespace, index, examined: 0, returned: 0 };
  const found = matchesOf(view, collection, { plan, matches: compileFilter(query.filter), cost });
  const ordered = plan.sorted ? found : sorted(found, query);
  try {
    for (const match of ordered) {
      cost.returned++;
      yield match;
      if (cost.returned === query.limit) return;
    }
  } finally {
    if (queries.hasSubscribers) queries.publish(cost);
  }
}

/** @returns the bytes to send: those stored, or the projection's */
export function* projected(matches: Iterable<Match>, project: Project | undefined): Generator<Uint8Array> {
  for (const { fields, bytes } of matches) yield project === undefined ? bytes : serialize(project(fields));
}

/**
 * Sorts in memory. With a limit, no more than twice the limit and 1,000 documents are held: then all that are past the limit are dropped.
 */
function sorted(matches: Iterable<Match>, { sort, limit }: Query): Match[] {
  const keep = limit > 0 ? limit : Infinity;
  let held: { key: SortKey; match: Match }[] = [];
  let bytes = 0;
  const byKey = (a: { key: SortKey }, b: { key: SortKey }): number => compareSortKeys(a.key, b.key, sort);
  for (const match of matches) {
    held.push({ key: sortKeyOf(match.fields, sort), match });
    bytes += match.bytes.length;
    if (held.length > 2 * keep + 1_000) {
      held = held.sort(byKey).slice(0, keep);
      bytes = held.reduce((sum, { match: kept }) => sum + kept.bytes.length, 0);
    }
    if (bytes > MAX_SORT_BYTES)
      throw new CommandError(
        'QueryExceededMemoryLimitNoDiskUseAllowed',
        `sort exceeded the memory limit of ${MAX_SORT_BYTES} bytes; add an index in the wanted order or a limit`,
      );
  }
  return held.sort(byKey).map(({ match }) => match);
}
