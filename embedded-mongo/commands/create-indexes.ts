import { CommandError, notSupported } from '../values/command-error.js';
import { parseFilter, type Filter } from '../filter/filter.js';
import { keyPatternOf, PRIMARY_INDEX_NAME, type Collection, type Index, type IndexField } from '../store/catalog.js';
import { addIndex, ensureCollection } from '../store/definitions.js';
import { isDocument, type BsonDocument } from '../values/document.js';
import { parsePath } from '../values/path.js';
import { optionalBoolean, optionalDocument, requiredArray, requiredDocument, requiredString } from './arguments.js';
import { assertOnly, namespaceOf, type Command } from './command.js';

type Definition = Omit<Index, 'id'>;

export const createIndexes: Command = {
  names: ['createIndexes'],
  fields: ['indexes', 'commitQuorum'],
  run: async (call) => {
    const namespace = namespaceOf(call);
    const definitions = requiredArray(call.body, 'indexes').map(parseDefinition);
    const { store } = call.server;
    const { existed, before } = await store.write((writer) => {
      const existed = writer.catalog.get(namespace) !== undefined;
      const collection = ensureCollection(writer, namespace);
      // All definitions are checked before an index is made: if one conflicts, the command makes no index, as in MongoDB.
      for (const definition of definitions) existsAlready(collection, definition);
      return { existed, before: collection.indexes.length + 1 };
    });
    // Each index is made in a write of its own, so that other writes wait for one index at a time, and not for all.
    for (const definition of definitions) {
      await store.write((writer) => {
        const collection = ensureCollection(writer, namespace);
        if (!existsAlready(collection, definition)) addIndex(writer, namespace, definition);
      });
      await nextTurn();
    }
    const after = store.read(({ catalog }) => (catalog.get(namespace)?.indexes.length ?? 0) + 1);
    return { numIndexesBefore: before, numIndexesAfter: after, createdCollectionAutomatically: !existed, ok: 1 };
  },
};

/** Waits for a turn of the event loop, so that waiting requests are served. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function parseDefinition(specification: unknown): Definition {
  if (!isDocument(specification)) throw new CommandError('TypeMismatch', 'each of indexes must be a document');
  const known = ['v', 'key', 'name', 'unique', 'sparse', 'partialFilterExpression', 'expireAfterSeconds', 'background'];
  assertOnly(specification, 'createIndexes.indexes', known);
  const fields = parseFields(requiredDocument(specification, 'key'));
  const partialFilter = optionalDocument(specification, 'partialFilterExpression');
  if (partialFilter !== undefined) assertSimple(parseFilter(partialFilter));
  const expireAfterSeconds = parseExpiry(specification, fields);
  return {
    name: requiredString(specification, 'name'),
    fields,
    unique: optionalBoolean(specification, 'unique') ?? false,
    sparse: optionalBoolean(specification, 'sparse') ?? false,
    ...(partialFilter !== undefined && { partialFilter }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
  };
}

function parseFields(key: BsonDocument): IndexField[] {
  const fields = Object.entries(key).map(([name, direction]): IndexField => {
    if (direction !== 1 && direction !== -1) throw notSupported(`an index of kind ${JSON.stringify(direction)}`);
    if (name.includes('$')) throw notSupported(`an index on '${name}'`);
    return { name, path: parsePath(name), direction, multikey: false };
  });
  if (fields.length === 0) throw new CommandError('CannotCreateIndex', 'index keys cannot be an empty object');
  return fields;
}

function parseExpiry(specification: BsonDocument, fields: readonly IndexField[]): number | undefined {
  const seconds = specification['expireAfterSeconds'];
  if (seconds === undefined || seconds === null) return undefined;
  if (typeof seconds !== 'number' || seconds < 0)
    throw new CommandError('CannotCreateIndex', 'expireAfterSeconds must be a number that is not negative');
  if (fields.length > 1 || fields[0]?.name === '_id')
    throw new CommandError('CannotCreateIndex', 'an index with expireAfterSeconds is on one field, and not on _id');
  return seconds;
}

/** The planner can derive equalities and presence from a query, so a partial index may require those only. */
function assertSimple(filter: Filter): void {
  if (filter.kind === 'and') filter.branches.forEach(assertSimple);
  else if (filter.kind !== 'field') throw notSupported(`$or in a partialFilterExpression`);
  else {
    const { test } = filter;
    if (test.op !== 'eq' && !(test.op === 'exists' && test.wanted))
      throw notSupported(`${test.op} in a partialFilterExpression`);
  }
}

/** Returns whether the index exists already. Throws when its name has another definition, or when its definition has another name. */
function existsAlready(collection: Collection, definition: Definition): boolean {
  if (definition.fields.length === 1 && definition.fields[0]?.name === '_id') return true;
  if (definition.name === PRIMARY_INDEX_NAME)
    throw new CommandError('CannotCreateIndex', `the name ${PRIMARY_INDEX_NAME} is reserved for the index on _id`);
  const wanted = describe(definition);
  for (const index of collection.indexes) {
    const described = describe(index);
    if (index.name === definition.name) {
      if (described === wanted) return true;
      throw new CommandError('IndexKeySpecsConflict', `an index named ${index.name} exists with other keys or options`);
    }
    if (described === wanted)
      throw new CommandError('IndexOptionsConflict', `the index exists already with another name: ${index.name}`);
  }
  return false;
}

function describe(index: Definition): string {
  const { unique, sparse, partialFilter, expireAfterSeconds } = index;
  return JSON.stringify([keyPatternOf(index), unique, sparse, partialFilter, expireAfterSeconds]);
}
