import type { Collection } from '../store/catalog.js';
import type { View } from '../store/view.js';
import { decode } from '../values/bson.js';
import type { BsonDocument } from '../values/document.js';
import type { Matches } from '../filter/match.js';
import type { Plan } from './plan.js';

/** A document that a query found. */
export interface Match {
  readonly fields: BsonDocument;
  readonly bytes: Buffer;
}

/** Walks the plan's intervals and yields the documents that match, each once. Counts in `cost` the documents that it reads. */
export function* matchesOf(
  view: View,
  collection: Collection,
  { plan, matches, cost }: { plan: Plan; matches: Matches; cost: { examined: number } },
): Generator<Match> {
  for (const bytes of candidates(view, collection, plan)) {
    cost.examined++;
    const fields = decode(bytes);
    if (matches(fields)) yield { fields, bytes };
  }
}

function* candidates(view: View, collection: Collection, plan: Plan): Generator<Buffer> {
  const intervals = plan.reverse ? plan.intervals.toReversed() : plan.intervals;
  const seen = plan.repeats ? new Set<string>() : undefined;
  for (const interval of intervals) {
    if (plan.index === undefined && plan.exact) {
      const bytes = view.documentAt(interval.start);
      if (bytes !== undefined) yield bytes;
      continue;
    }
    if (plan.index === undefined) {
      for (const { bytes } of view.documents(interval, plan.reverse)) yield bytes;
      continue;
    }
    for (const idKey of view.entries(interval, plan.reverse)) {
      if (seen !== undefined) {
        const id = idKey.toString('latin1');
        if (seen.has(id)) continue;
        seen.add(id);
      }
      const bytes = view.document(collection, idKey);
      if (bytes === undefined) throw new Error(`index ${plan.index.name} has an entry without a document`);
      yield bytes;
    }
  }
}
