import { CommandError, notSupported } from '../values/command-error.js';
import type { Collection } from '../store/catalog.js';
import type { View } from '../store/view.js';
import { isDocument, type BsonDocument } from '../values/document.js';
import { parseFilter, type Filter } from '../filter/filter.js';
import { parseGroup, type Group } from './group.js';
import { runQuery } from './query.js';

/** A pipeline: a query that can use indexes, and the stages that transform its documents. */
export interface Aggregation {
  run(view: View, collection: Collection): Iterable<BsonDocument>;
}

/**
 * Parses a pipeline: any number of $match, then at most one $limit, then at most one $group. Throws for other stages and for another order.
 */
export function parsePipeline(pipeline: readonly unknown[]): Aggregation {
  const stages = pipeline.map(splitStage);
  const filters: Filter[] = [];
  let limit = 0;
  let group: Group | undefined;
  while (stages[0]?.name === '$match') filters.push(parseFilter(stages.shift()?.operand));
  if (stages[0]?.name === '$limit') limit = parseLimit(stages.shift()?.operand);
  if (stages[0]?.name === '$group') group = parseGroup(stages.shift()?.operand);
  const [unknown] = stages;
  if (unknown !== undefined)
    throw notSupported(`the aggregation stage ${unknown.name}: only $match, then $limit, then $group`);
  const query = { filter: { kind: 'and', branches: filters } as const, sort: [], limit };
  return {
    run: (view, collection) => {
      const found = documentsOf(runQuery(view, collection, query));
      return group === undefined ? found : group(found);
    },
  };
}

function* documentsOf(matches: Iterable<{ readonly fields: BsonDocument }>): Generator<BsonDocument> {
  for (const { fields } of matches) yield fields;
}

function splitStage(stage: unknown): { name: string; operand: unknown } {
  const [entry, ...others] = isDocument(stage) ? Object.entries(stage) : [];
  if (entry === undefined || others.length > 0)
    throw new CommandError('FailedToParse', 'each element of the pipeline must be a document with one field');
  return { name: entry[0], operand: entry[1] };
}

function parseLimit(operand: unknown): number {
  if (typeof operand !== 'number' || !Number.isInteger(operand) || operand < 1)
    throw new CommandError('BadValue', '$limit needs a whole number of at least 1');
  return operand;
}
