import { CommandError } from '../values/command-error.js';
import { parseFilter } from '../filter/filter.js';
import { runQuery } from '../query/query.js';
import { optionalBoolean, requiredDocument } from './arguments.js';
import { assertOnly, namespaceOf, type Command } from './command.js';
import { decoded, runStatements, statementsOf } from './statements.js';

export const deleteDocuments: Command = {
  names: ['delete'],
  fields: ['deletes', 'ordered', 'txnNumber'],
  run: (call) => {
    const namespace = namespaceOf(call);
    const statements = statementsOf(call, 'deletes');
    const ordered = optionalBoolean(call.body, 'ordered') ?? true;
    return call.write((writer) => {
      let n = 0;
      const errors = runStatements(statements, ordered, (statement) => {
        const { q, limit } = parseDelete(decoded(statement));
        const collection = writer.catalog.get(namespace);
        if (collection === undefined) return;
        const found = [...runQuery(writer, collection, { filter: parseFilter(q), sort: [], limit })];
        for (const { fields } of found) writer.remove(collection, fields);
        n += found.length;
      });
      return { n, ...errors, ok: 1 };
    });
  },
};

function parseDelete(statement: Record<string, unknown>): { q: unknown; limit: 0 | 1 } {
  assertOnly(statement, 'delete.deletes', ['q', 'limit']);
  const { limit } = statement;
  if (limit !== 0 && limit !== 1)
    throw new CommandError('FailedToParse', 'the limit of a delete must be 0, for all, or 1');
  return { q: requiredDocument(statement, 'q'), limit };
}
