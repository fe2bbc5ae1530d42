import { CommandError } from '../values/command-error.js';
import type { Match } from '../query/candidates.js';
import { type Filter, parseFilter } from '../filter/filter.js';
import { runQuery } from '../query/query.js';
import { ensureCollection } from '../store/definitions.js';
import { changeDocument } from '../update/change-document.js';
import { parseUpdate } from '../update/update.js';
import { upsertedDocument } from '../update/upsert.js';
import { decode, encodeStorable } from '../values/bson.js';
import type { BsonDocument } from '../values/document.js';
import type { Writer } from '../store/writer.js';
import { optionalBoolean, optionalDocument } from './arguments.js';
import { namespaceOf, type Call, type Command } from './command.js';

/** Finds one document, changes or removes it and returns it, atomically. */
export const findAndModify: Command = {
  names: ['findAndModify', 'findandmodify'],
  fields: ['query', 'remove', 'update', 'new', 'upsert', 'bypassDocumentValidation', 'txnNumber'],
  run: (call) => {
    const namespace = namespaceOf(call);
    const remove = optionalBoolean(call.body, 'remove') ?? false;
    if (remove === (call.body['update'] !== undefined))
      throw new CommandError('FailedToParse', 'findAndModify needs either an update or remove: true');
    if (remove && (optionalBoolean(call.body, 'new') === true || optionalBoolean(call.body, 'upsert') === true))
      throw new CommandError('FailedToParse', 'remove: true goes with neither new nor upsert');
    return call.write((writer) => {
      const match = findOne(call, writer, namespace);
      return remove ? removeOne(writer, namespace, match) : updateOne(call, writer, namespace, match);
    });
  },
};

function filterOf({ body }: Call): Filter {
  return parseFilter(optionalDocument(body, 'query') ?? {});
}

function findOne(call: Call, writer: Writer, namespace: string): Match | undefined {
  const collection = writer.catalog.get(namespace);
  if (collection === undefined) return undefined;
  const query = { filter: filterOf(call), sort: [], limit: 1 };
  for (const match of runQuery(writer, collection, query)) return match;
  return undefined;
}

function removeOne(writer: Writer, namespace: string, match: Match | undefined): BsonDocument {
  if (match === undefined) return { lastErrorObject: { n: 0 }, value: null, ok: 1 };
  writer.remove(ensureCollection(writer, namespace), match.fields);
  return { lastErrorObject: { n: 1 }, value: match.fields, ok: 1 };
}

function updateOne(call: Call, writer: Writer, namespace: string, match: Match | undefined): BsonDocument {
  const { body } = call;
  const update = parseUpdate(body['update']);
  const showsNew = optionalBoolean(body, 'new') ?? false;
  if (match !== undefined) {
    const { after } = changeDocument(writer, namespace, match, update);
    // The document is read from the bytes, as the update changed the match's own fields.
    const value = showsNew ? after : decode(match.bytes);
    return { lastErrorObject: { n: 1, updatedExisting: true }, value, ok: 1 };
  }
  if (optionalBoolean(body, 'upsert') !== true)
    return { lastErrorObject: { n: 0, updatedExisting: false }, value: null, ok: 1 };
  const fields = upsertedDocument(filterOf(call), update);
  writer.insert(ensureCollection(writer, namespace), { fields, bytes: encodeStorable(fields) });
  const lastErrorObject = { n: 1, updatedExisting: false, upserted: fields['_id'] };
  return { lastErrorObject, value: showsNew ? fields : null, ok: 1 };
}
