import { parseFilter } from '../query/filter.js';
import { lengthOf, runQuery } from '../query/query.js';
import { optionalCount, optionalDocument } from './arguments.js';
import { namespaceOf, type Command } from './command.js';

export const count: Command = {
  names: ['count'],
  fields: ['query', 'skip', 'limit', 'hint'],
  run: (call) => {
    const { body, server, deadline } = call;
    const hint = body['hint'];
    const query = {
      filter: parseFilter(optionalDocument(body, 'query') ?? {}),
      sort: [],
      skip: optionalCount(body, 'skip') ?? 0,
      limit: optionalCount(body, 'limit') ?? 0,
      ...(hint !== undefined && { hint }),
    };
    return server.store.read((view) => {
      const collection = view.catalog.get(namespaceOf(call));
      const n = collection === undefined ? 0 : lengthOf(runQuery(view, collection, query, deadline));
      return { n, ok: 1 };
    });
  },
};
