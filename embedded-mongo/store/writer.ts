import { CommandError } from '../values/command-error.js';
import { MISSING, type BsonDocument } from '../values/document.js';
import { afterPrefix, appendIndexValue, KeyBytes } from '../values/index-key.js';
import { someAt, type Path } from '../values/path.js';
import { keyPatternOf, type Catalog, type Collection, type Index } from './catalog.js';
import { entriesOf, MAX_KEY_BYTES, type IndexEntries } from './index-entries.js';
import { documentKey, PREFIX_BYTES, tablePrefix, View, type Table } from './view.js';

/** A document with its bytes as they are stored. */
export interface StoredDocument {
  readonly fields: BsonDocument;
  readonly bytes: Uint8Array;
}

/**
 * The store inside a write batch. Each change of a document checks everything first and touches the tables after. So an error thrown to the
 * client leaves that document and its index entries as they were.
 */
export class Writer extends View {
  #changes = 0;

  /** Grows with each change of a document or of the catalog. */
  get changes(): number {
    return this.#changes;
  }

  /** See retried-writes.ts. */
  get sessions(): Table {
    return this.tables.sessions;
  }

  setCatalog(catalog: Catalog): void {
    this.currentCatalog = catalog;
    this.#changes++;
  }

  /** Throws DuplicateKey when `_id` or a unique index has the value already. */
  insert(collection: Collection, document: StoredDocument): void {
    const id = document.fields['_id'];
    const idKey = idKeyOf(id);
    if (this.document(collection, idKey) !== undefined) throw duplicateKey(collection, '_id_', { _id: 1 }, { _id: id });
    const entries = this.#checkedEntries(collection, collection.indexes, document.fields, idKey);
    this.#changes++;
    this.tables.documents.putSync(documentKey(collection, idKey), toBuffer(document.bytes));
    for (const [index, { keys }] of entries)
      for (const key of keys) this.tables.entries.putSync(entryKey(index, key, idKey), idKey);
    this.#noteArrays(collection.namespace, entries);
  }

  /**
   * Puts a document in the place of the one with its `_id`. Throws DuplicateKey like insert.
   *
   * @param before the index entries of the stored document; the entries of indexes that are not in it stay as they are
   */
  replace(collection: Collection, before: ReadonlyMap<Index, IndexEntries>, after: StoredDocument): void {
    const idKey = idKeyOf(after.fields['_id']);
    const entries = this.#checkedEntries(collection, [...before.keys()], after.fields, idKey);
    this.#changes++;
    this.tables.documents.putSync(documentKey(collection, idKey), toBuffer(after.bytes));
    for (const [index, { keys }] of entries) {
      const old = before.get(index)?.keys ?? [];
      for (const key of without(keys, old)) this.tables.entries.putSync(entryKey(index, key, idKey), idKey);
      for (const key of without(old, keys)) this.tables.entries.removeSync(entryKey(index, key, idKey));
    }
    this.#noteArrays(collection.namespace, entries);
  }

  remove(collection: Collection, document: BsonDocument): void {
    const idKey = idKeyOf(document['_id']);
    this.#changes++;
    this.tables.documents.removeSync(documentKey(collection, idKey));
    for (const index of collection.indexes)
      for (const key of entriesOf(index, document).keys) this.tables.entries.removeSync(entryKey(index, key, idKey));
  }

  /** Adds the entries of one document to a new index. */
  addToIndex(collection: Collection, index: Index, document: BsonDocument): void {
    const idKey = idKeyOf(document['_id']);
    const entries = this.#checkedEntriesOf(collection, index, document, idKey);
    for (const key of entries.keys) this.tables.entries.putSync(entryKey(index, key, idKey), idKey);
    this.#noteArrays(collection.namespace, [[index, entries]]);
  }

  /** Removes all entries of an index that is dropped, or that could not be made. */
  clearIndex(index: Index): void {
    clear(this.tables.entries, index.id);
  }

  #checkedEntries(
    collection: Collection,
    indexes: readonly Index[],
    document: BsonDocument,
    idKey: Buffer,
  ): [Index, IndexEntries][] {
    return indexes.map((index) => [index, this.#checkedEntriesOf(collection, index, document, idKey)]);
  }

  #checkedEntriesOf(collection: Collection, index: Index, document: BsonDocument, idKey: Buffer): IndexEntries {
    const entries = entriesOf(index, document);
    for (const key of entries.keys) {
      if (key.length + (index.unique ? 0 : idKey.length) > MAX_KEY_BYTES)
        throw new CommandError(
          'KeyTooLong',
          `a value is too long for index ${index.name}: at most ${MAX_KEY_BYTES} bytes`,
        );
      if (!index.unique) continue;
      const owner = this.tables.entries.get(entryKey(index, key, idKey));
      if (owner !== undefined && !owner.equals(idKey))
        throw duplicateKey(collection, index.name, keyPatternOf(index), keyValueOf(index, document));
    }
    return entries;
  }

  /** Notes in the catalog which fields of which indexes have met an array on their path. */
  #noteArrays(namespace: string, entries: readonly (readonly [Index, IndexEntries])[]): void {
    const isNews = ([{ fields }, { multikey }]: readonly [Index, IndexEntries]): boolean =>
      fields.some((field, at) => !field.multikey && multikey[at] === true);
    const collection = this.catalog.get(namespace);
    if (collection === undefined || !entries.some(isNews)) return;
    const multikeyById = new Map(entries.map(([{ id }, { multikey }]) => [id, multikey]));
    const indexes = collection.indexes.map((index) => ({
      ...index,
      fields: index.fields.map((field, at) => ({
        ...field,
        multikey: field.multikey || multikeyById.get(index.id)?.[at] === true,
      })),
    }));
    this.setCatalog(this.catalog.with({ ...collection, indexes }));
  }
}

/** Returns `_id` as an index value. */
function idKeyOf(id: unknown): Buffer {
  const key = new KeyBytes();
  appendIndexValue(key, id);
  if (key.length > MAX_KEY_BYTES)
    throw new CommandError('KeyTooLong', `_id is too long: at most ${MAX_KEY_BYTES} bytes`);
  return key.take();
}

function entryKey(index: Index, key: Buffer, idKey: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + key.length + (index.unique ? 0 : idKey.length));
  bytes.writeUInt32BE(index.id);
  bytes.set(key, PREFIX_BYTES);
  if (!index.unique) bytes.set(idKey, PREFIX_BYTES + key.length);
  return bytes;
}

/** The keys that are not among the others. */
function without(keys: readonly Buffer[], others: readonly Buffer[]): readonly Buffer[] {
  if (keys.length * others.length <= 1) {
    const [key] = keys;
    const [other] = others;
    return key !== undefined && other?.equals(key) === true ? [] : keys;
  }
  const known = new Set(others.map((key) => key.toString('latin1')));
  return keys.filter((key) => !known.has(key.toString('latin1')));
}

function clear(table: Table, id: number): void {
  const start = tablePrefix(id);
  const keys = [...table.getKeys({ start, end: afterPrefix(start) })];
  for (const key of keys) table.removeSync(key);
}

function duplicateKey(
  collection: Collection,
  indexName: string,
  keyPattern: BsonDocument,
  keyValue: BsonDocument,
): CommandError {
  const shown = Object.entries(keyValue).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return new CommandError(
    'DuplicateKey',
    `E11000 duplicate key error collection: ${collection.namespace} index: ${indexName} dup key: { ${shown.join(', ')} }`,
    { keyPattern, keyValue },
  );
}

function keyValueOf(index: Index, document: BsonDocument): BsonDocument {
  return Object.fromEntries(index.fields.map(({ name, path }) => [name, valueAt(document, path)]));
}

function valueAt(document: BsonDocument, path: Path): unknown {
  let found: unknown = null;
  someAt(document, path, (value) => {
    if (value !== MISSING) found = value;
    return value !== MISSING;
  });
  return found;
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
