import { CommandError } from '../command-error.js';
import type { Match } from '../query/candidates.js';
import { parseFilter } from '../query/filter.js';
import { parseProjection } from '../query/projection.js';
import { runQuery } from '../query/query.js';
import { parseSort } from '../query/sort.js';
import { ensureCollection } from '../store/definitions.js';
import { changeDocument } from '../update/change-document.js';
import { parseUpdate } from '../update/update.js';
import { upsertedDocument } from '../update/upsert.js';
import { decode, encodeStorable } from '../values/bson.js';
import type { BsonDocument } from '../values/document.js';
import type { Writer } from '../store/writer.js';
import { optionalBoolean, optionalDocument } from './arguments.js';
import { namespaceOf, type Call, type Command } from './command.js';

/** Finds, changes or removes one document and gives it back, in one step that nothing comes between. */
export const findAndModify: Command = {
  names: ['findAndModify', 'findandmodify'],
  fields: [
    'query',
    'sort',
    'hint',
    'remove',
    'update',
    'new',
    'upsert',
    'fields',
    'bypassDocumentValidation',
    'txnNumber',
  ],
  run: (call) => {
    const namespace = namespaceOf(call);
    const remove = optionalBoolean(call.body, 'remove') ?? false;
    if (remove === (call.body['update'] !== undefined))
      throw new CommandError('FailedToParse', 'findAndModify needs either an update or remove: true');
    if (remove && (optionalBoolean(call.body, 'new') === true || optionalBoolean(call.body, 'upsert') === true))
      throw new CommandError('FailedToParse', 'remove: true goes with neither new nor upsert');
    return call.write((writer) => {
      const match = findOne(call, writer, namespace);
      return remove ? removeOne(call, writer, namespace, match) : updateOne(call, writer, namespace, match);
    });
  },
};

function filterOf({ body }: Call): ReturnType<typeof parseFilter> {
  return parseFilter(optionalDocument(body, 'query') ?? {});
}

function findOne(call: Call, writer: Writer, namespace: string): Match | undefined {
  const collection = writer.catalog.get(namespace);
  if (collection === undefined) return undefined;
  const { sort, hint } = call.body;
  const query = {
    filter: filterOf(call),
    sort: parseSort(sort),
    skip: 0,
    limit: 1,
    ...(hint !== undefined && { hint }),
  };
  for (const match of runQuery(writer, collection, query, call.deadline)) return match;
  return undefined;
}

function removeOne(call: Call, writer: Writer, namespace: string, match: Match | undefined): BsonDocument {
  const value = show(call, match?.fields);
  if (match !== undefined) writer.remove(ensureCollection(writer, namespace), match.fields);
  return { lastErrorObject: { n: match === undefined ? 0 : 1 }, value, ok: 1 };
}

function updateOne(call: Call, writer: Writer, namespace: string, match: Match | undefined): BsonDocument {
  const { body } = call;
  const update = parseUpdate(body['update']);
  const showsNew = optionalBoolean(body, 'new') ?? false;
  if (match !== undefined) {
    // Read anew: the update changes the match's own fields.
    const before = showsNew ? undefined : show(call, decode(match.bytes));
    const { after } = changeDocument(writer, namespace, match, update);
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: showsNew ? show(call, after) : before, ok: 1 };
  }
  if (optionalBoolean(body, 'upsert') !== true)
    return { lastErrorObject: { n: 0, updatedExisting: false }, value: null, ok: 1 };
  const fields = upsertedDocument(filterOf(call), update);
  writer.insert(ensureCollection(writer, namespace), { fields, bytes: encodeStorable(fields) });
  const lastErrorObject = { n: 1, updatedExisting: false, upserted: fields['_id'] };
  return { lastErrorObject, value: showsNew ? show(call, fields) : null, ok: 1 };
}

function show({ body }: Call, document: BsonDocument | undefined): BsonDocument | null {
  if (document === undefined) return null;
  return parseProjection(body['fields'])?.(document) ?? document;
}
