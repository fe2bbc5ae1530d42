import { serialize } from 'bson';
import { CommandError } from '../values/command-error.js';
import { keyPatternOf, PRIMARY_INDEX_NAME, type Collection, type Index } from '../store/catalog.js';
import type { BsonDocument } from '../values/document.js';
import { optionalCount, optionalDocument } from './arguments.js';
import { namespaceOf, type Command } from './command.js';
import { reply } from './cursor-batch.js';

export const listIndexes: Command = {
  names: ['listIndexes'],
  fields: ['cursor'],
  run: (call) => {
    const namespace = namespaceOf(call);
    const batchSize = optionalCount(optionalDocument(call.body, 'cursor') ?? {}, 'batchSize');
    return reply(
      call.server,
      namespace,
      (view) => {
        const collection = view.catalog.get(namespace);
        if (collection === undefined) throw new CommandError('NamespaceNotFound', `ns does not exist: ${namespace}`);
        return describeIndexes(collection).map((index) => serialize(index));
      },
      batchSize ?? Infinity,
    );
  },
};

/** Returns all indexes of a collection as MongoDB lists them. */
export function describeIndexes({ indexes }: Collection): BsonDocument[] {
  return [{ v: 2, key: { _id: 1 }, name: PRIMARY_INDEX_NAME }, ...indexes.map(describe)];
}

function describe(index: Index): BsonDocument {
  const { name, unique, sparse, partialFilter, expireAfterSeconds } = index;
  return {
    v: 2,
    key: keyPatternOf(index),
    name,
    ...(unique && { unique }),
    ...(sparse && { sparse }),
    ...(partialFilter !== undefined && { partialFilterExpression: partialFilter }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
  };
}
