import { parseFilter } from '../query/filter.js';
import { runQuery } from '../query/query.js';
import { MISSING } from '../values/document.js';
import { appendIndexValue, KeyBytes } from '../values/index-key.js';
import { parsePath, someAt } from '../values/path.js';
import { optionalDocument, requiredString } from './arguments.js';
import { namespaceOf, type Command } from './command.js';

/** The different values of a field; those of an array are its elements. */
export const distinct: Command = {
  names: ['distinct'],
  fields: ['key', 'query', 'hint'],
  run: (call) => {
    const { body, server, deadline } = call;
    const path = parsePath(requiredString(body, 'key'));
    const hint = body['hint'];
    const filter = parseFilter(optionalDocument(body, 'query') ?? {});
    const query = { filter, sort: [], skip: 0, limit: 0, ...(hint !== undefined && { hint }) };
    const values = new Map<string, unknown>();
    const offer = (value: unknown): void => {
      const key = new KeyBytes();
      appendIndexValue(key, value);
      const bytes = key.take().toString('latin1');
      if (!values.has(bytes)) values.set(bytes, value);
    };
    server.store.read((view) => {
      const collection = view.catalog.get(namespaceOf(call));
      if (collection === undefined) return;
      for (const { fields } of runQuery(view, collection, query, deadline)) {
        someAt(fields, path, (value) => {
          if (Array.isArray(value)) value.forEach(offer);
          else if (value !== MISSING) offer(value);
          return false;
        });
      }
    });
    return { values: [...values.values()], ok: 1 };
  },
};
