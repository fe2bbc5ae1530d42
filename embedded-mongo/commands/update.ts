import { parseFilter } from '../filter/filter.js';
import { runQuery } from '../query/query.js';
import { ensureCollection } from '../store/definitions.js';
import type { Writer } from '../store/writer.js';
import { changeDocument } from '../update/change-document.js';
import { parseUpdate } from '../update/update.js';
import { upsertedDocument } from '../update/upsert.js';
import { encodeStorable } from '../values/bson.js';
import type { BsonDocument } from '../values/document.js';
import { optionalBoolean, requiredDocument } from './arguments.js';
import { assertOnly, namespaceOf, type Command } from './command.js';
import { decoded, runStatements, statementsOf } from './statements.js';

export const update: Command = {
  names: ['update'],
  fields: ['updates', 'ordered', 'bypassDocumentValidation', 'txnNumber'],
  run: (call) => {
    const namespace = namespaceOf(call);
    const statements = statementsOf(call, 'updates');
    const ordered = optionalBoolean(call.body, 'ordered') ?? true;
    return call.write((writer) => {
      let n = 0;
      let nModified = 0;
      const upserted: BsonDocument[] = [];
      const errors = runStatements(statements, ordered, (statement, index) => {
        const done = runUpdate(writer, namespace, decoded(statement));
        n += done.matched;
        nModified += done.modified;
        if (done.upsertedId !== undefined) {
          n++;
          upserted.push({ index, _id: done.upsertedId });
        }
      });
      return { n, nModified, ...(upserted.length > 0 && { upserted }), ...errors, ok: 1 };
    });
  },
};

interface Done {
  readonly matched: number;
  readonly modified: number;
  readonly upsertedId?: unknown;
}

function runUpdate(writer: Writer, namespace: string, statement: BsonDocument): Done {
  assertOnly(statement, 'update.updates', ['q', 'u', 'multi', 'upsert']);
  const filter = parseFilter(requiredDocument(statement, 'q'));
  const update = parseUpdate(statement['u']);
  const multi = optionalBoolean(statement, 'multi') ?? false;
  const collection = writer.catalog.get(namespace);
  const query = { filter, sort: [], limit: multi ? 0 : 1 };
  // All matches are found before the first change. Otherwise a document that a change moves within the index could be found twice.
  const matches = collection === undefined ? [] : [...runQuery(writer, collection, query)];
  let modified = 0;
  for (const match of matches) if (changeDocument(writer, namespace, match, update).modified) modified++;
  if (matches.length > 0 || optionalBoolean(statement, 'upsert') !== true) return { matched: matches.length, modified };
  const fields = upsertedDocument(filter, update);
  writer.insert(ensureCollection(writer, namespace), { fields, bytes: encodeStorable(fields) });
  return { matched: 0, modified: 0, upsertedId: fields['_id'] };
}
