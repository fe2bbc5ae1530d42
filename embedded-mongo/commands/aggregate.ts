import { serialize } from 'bson';
import { notSupported } from '../values/command-error.js';
import { FIRST_BATCH } from './cursor-table.js';
import { parsePipeline } from '../query/aggregation.js';
import type { BsonDocument } from '../values/document.js';
import { optionalCount, requiredArray, requiredDocument } from './arguments.js';
import { assertOnly, namespaceOf, type Command } from './command.js';
import { reply } from './cursor-batch.js';

export const aggregate: Command = {
  names: ['aggregate'],
  fields: ['pipeline', 'cursor', 'allowDiskUse', 'bypassDocumentValidation'],
  run: (call) => {
    const { body, server } = call;
    if (body['aggregate'] === 1) throw notSupported('aggregation without a collection');
    const namespace = namespaceOf(call);
    const aggregation = parsePipeline(requiredArray(body, 'pipeline'));
    const cursor = requiredDocument(body, 'cursor');
    assertOnly(cursor, 'aggregate.cursor', ['batchSize']);
    return reply(
      server,
      namespace,
      (view) => {
        const collection = view.catalog.get(namespace);
        return collection === undefined ? [] : encoded(aggregation.run(view, collection));
      },
      optionalCount(cursor, 'batchSize') ?? FIRST_BATCH,
    );
  },
};

function* encoded(documents: Iterable<BsonDocument>): Generator<Uint8Array> {
  for (const document of documents) yield serialize(document);
}
