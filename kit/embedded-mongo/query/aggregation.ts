import { CommandError, notSupported } from '../command-error.js';
import type { Collection } from '../store/catalog.js';
import type { View } from '../store/view.js';
import { isDocument, type BsonDocument } from '../values/document.js';
import type { Deadline } from './deadline.js';
import { parseFilter, type Filter } from './filter.js';
import { parseGroup } from './group.js';
import { compileFilter } from './match.js';
import { parseProjection } from './projection.js';
import { lengthOf, runQuery } from './query.js';
import { compareSortKeys, parseSort, sortKeyOf, type SortSpec } from './sort.js';

/** Documents in, documents out. */
type Stage = (documents: Iterable<BsonDocument>) => Iterable<BsonDocument>;

/** A pipeline: a query that can use indexes, made of its first stages, and what is done to the documents after. */
export interface Aggregation {
  run(view: View, collection: Collection, deadline: Deadline): Iterable<BsonDocument>;
}

/** The stages $match, $sort, $skip, $limit, $project (without expressions), $group and $count. Others are refused. */
export function parsePipeline(pipeline: readonly unknown[]): Aggregation {
  const stages = pipeline.map(splitStage);
  const filters: Filter[] = [];
  let sort: SortSpec = [];
  while (stages[0]?.name === '$match') filters.push(parseFilter(stages.shift()?.operand));
  if (stages[0]?.name === '$sort') sort = parseSort(stages.shift()?.operand);
  // A limit right after lets the query keep only so many while it sorts.
  const limit = stages[0]?.name === '$limit' ? count(stages[0].operand, '$limit') : 0;
  const rest = stages.map(({ name, operand }) => parseStage(name, operand));
  const query = { filter: { kind: 'and', branches: filters } as const, sort, skip: 0, limit };
  return {
    run: (view, collection, deadline) => {
      const found = documentsOf(runQuery(view, collection, query, deadline));
      return rest.reduce<Iterable<BsonDocument>>((documents, stage) => stage(documents), found);
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

function parseStage(name: string, operand: unknown): Stage {
  switch (name) {
    case '$match': {
      const matches = compileFilter(parseFilter(operand));
      return function* (documents) {
        for (const document of documents) if (matches(document)) yield document;
      };
    }
    case '$sort':
      return sortStage(parseSort(operand));
    case '$skip':
      return skipStage(count(operand, '$skip', 0));
    case '$limit':
      return limitStage(count(operand, '$limit'));
    case '$project': {
      const project = parseProjection(operand);
      if (project === undefined) throw new CommandError('BadValue', '$project needs at least one field');
      return function* (documents) {
        for (const document of documents) yield project(document);
      };
    }
    case '$group':
      return parseGroup(operand);
    case '$count':
      if (typeof operand !== 'string' || operand === '' || /[.$]/.test(operand))
        throw new CommandError('BadValue', '$count needs the name of a field');
      return countStage(operand);
    default:
      throw notSupported(`the aggregation stage ${name}`);
  }
}

function sortStage(sort: SortSpec): Stage {
  return (documents) =>
    Array.from(documents, (document) => ({ document, key: sortKeyOf(document, sort) }))
      .sort((a, b) => compareSortKeys(a.key, b.key, sort))
      .map(({ document }) => document);
}

function skipStage(skip: number): Stage {
  return function* (documents) {
    let position = 0;
    for (const document of documents) if (position++ >= skip) yield document;
  };
}

function limitStage(limit: number): Stage {
  return function* (documents) {
    let left = limit;
    for (const document of documents) {
      yield document;
      if (--left === 0) return;
    }
  };
}

function countStage(field: string): Stage {
  return function* (documents) {
    const total = lengthOf(documents);
    if (total > 0) yield { [field]: total };
  };
}

function count(operand: unknown, name: string, least = 1): number {
  if (typeof operand !== 'number' || !Number.isInteger(operand) || operand < least)
    throw new CommandError('BadValue', `${name} needs a whole number of at least ${least}`);
  return operand;
}
