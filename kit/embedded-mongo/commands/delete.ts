import { CommandError } from '../command-error.js';
import { matchesOf } from '../query/candidates.js';
import { parseFilter } from '../query/filter.js';
import { compileFilter } from '../query/match.js';
import { planQuery } from '../query/plan.js';
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
        const filter = parseFilter(q);
        const plan = planQuery(collection, filter);
        const found = [];
        for (const match of matchesOf(writer, collection, plan, compileFilter(filter))) {
          found.push(match.fields);
          if (limit === 1) break;
        }
        for (const document of found) writer.remove(collection, document);
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
