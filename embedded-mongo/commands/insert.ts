import { ObjectId } from 'bson';
import { CommandError } from '../values/command-error.js';
import { ensureCollection } from '../store/definitions.js';
import type { StoredDocument } from '../store/writer.js';
import { assertSize, encodeStorable } from '../values/bson.js';
import { assertStorable, type BsonDocument } from '../values/document.js';
import { optionalBoolean } from './arguments.js';
import { namespaceOf, type Command } from './command.js';
import { decoded, runStatements, statementsOf } from './statements.js';

export const insert: Command = {
  names: ['insert'],
  fields: ['documents', 'ordered', 'bypassDocumentValidation', 'txnNumber'],
  run: (call) => {
    const namespace = namespaceOf(call);
    const documents = statementsOf(call, 'documents');
    const ordered = optionalBoolean(call.body, 'ordered') ?? true;
    return call.write((writer) => {
      let n = 0;
      const errors = runStatements(documents, ordered, (document) => {
        const stored = toStored(document);
        writer.insert(ensureCollection(writer, namespace), stored);
        n++;
      });
      return { n, ...errors, ok: 1 };
    });
  },
};

/** Puts `_id` first, and makes an `_id` when there is none. Bytes that begin with `_id` already are stored unchanged. */
function toStored(document: Uint8Array | BsonDocument): StoredDocument {
  const fields = decoded(document);
  if (document instanceof Uint8Array && Object.keys(fields)[0] === '_id') {
    assertStorable(fields);
    assertSize(document.length);
    assertId(fields['_id']);
    return { fields, bytes: document };
  }
  const { _id = new ObjectId(), ...others } = fields;
  assertId(_id);
  const ordered = { _id, ...others };
  return { fields: ordered, bytes: encodeStorable(ordered) };
}

function assertId(id: unknown): void {
  if (Array.isArray(id)) throw new CommandError('BadValue', "the '_id' value cannot be of type array");
}
