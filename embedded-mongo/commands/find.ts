import { optionalBoolean, optionalCount, optionalDocument } from './arguments.js';
import { FIRST_BATCH } from './cursor-table.js';
import { parseFilter } from '../filter/filter.js';
import { parseProjection } from '../query/projection.js';
import { projected, runQuery } from '../query/query.js';
import { parseSort } from '../query/sort.js';
import { namespaceOf, type Command } from './command.js';
import { reply } from './cursor-batch.js';

export const find: Command = {
  names: ['find'],
  fields: ['filter', 'sort', 'projection', 'hint', 'limit', 'batchSize', 'singleBatch', 'allowDiskUse'],
  run: (call) => {
    const { body, server } = call;
    const namespace = namespaceOf(call);
    const hint = body['hint'];
    const query = {
      filter: parseFilter(optionalDocument(body, 'filter') ?? {}),
      sort: parseSort(body['sort']),
      limit: optionalCount(body, 'limit') ?? 0,
      ...(hint !== undefined && { hint }),
    };
    const project = parseProjection(body['projection']);
    return reply(
      server,
      namespace,
      (view) => {
        const collection = view.catalog.get(namespace);
        return collection === undefined ? [] : projected(runQuery(view, collection, query), project);
      },
      optionalCount(body, 'batchSize') ?? FIRST_BATCH,
      optionalBoolean(body, 'singleBatch') ?? false,
    );
  },
};
