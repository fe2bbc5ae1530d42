import { CommandError } from '../command-error.js';
import { MISSING, type BsonDocument } from '../values/document.js';
import { afterPrefix, appendIndexValue, KeyBytes } from '../values/index-key.js';
import { someAt, type Path } from '../values/path.js';
import { tablePrefix } from '../query/bounds.js';
import { keyPatternOf, type Catalog, type Collection, type Index } from './catalog.js';
import { dependsOn, entriesOf, MAX_KEY_BYTES, type IndexEntries } from './index-entries.js';
import { documentKey, View, type Table } from './view.js';

/** A document with its bytes, which are what is stored. */
export interface StoredDocument {
  readonly fields: BsonDocument;
  readonly bytes: Uint8Array;
}

/**
 * The store inside a write batch. Each change of a document checks everything first and touches the tables after, so an
 * error thrown to the client leaves that document and its index entries as they were.
 */
export class Writer extends View {
  setCatalog(catalog: Catalog): void {
    this.currentCatalog = catalog;
  }

  /** Throws DuplicateKey when `_id` or a unique index has the value already. */
  insert(collection: Collection, document: StoredDocument): void {
    const id = document.fields['_id'];
    const idKey = idKeyOf(id);
    if (this.document(collection, idKey) !== undefined) throw duplicateKey(collection, '_id_', { _id: 1 }, { _id: id });
    const entries = this.#checkedEntries(collection, collection.indexes, document.fields, idKey);
    this.tables.documents.putSync(documentKey(collection, idKey), toBuffer(document.bytes));
    for (const [index, { keys }] of entries)
      for (const key of keys) this.tables.entries.putSync(entryKey(index, key, idKey), idKey);
    this.#noteArrays(collection.namespace, entries);
  }

  /**
   * Both have the same `_id`. Throws DuplicateKey like insert.
   *
   * @param touched the only fields in which they may differ; indexes of other fields are left alone
   */
  replace(collection: Collection, before: BsonDocument, after: StoredDocument, touched?: ReadonlySet<string>): void {
    const idKey = idKeyOf(after.fields['_id']);
    const indexes =
      touched === undefined ? collection.indexes : collection.indexes.filter((index) => dependsOn(index, touched));
    const entries = this.#checkedEntries(collection, indexes, after.fields, idKey);
    this.tables.documents.putSync(documentKey(collection, idKey), toBuffer(after.bytes));
    for (const [index, { keys }] of entries) {
      const old = new Map(entriesOf(index, before).keys.map((key) => [key.toString('latin1'), key]));
      for (const key of keys)
        if (!old.delete(key.toString('latin1'))) this.tables.entries.putSync(entryKey(index, key, idKey), idKey);
      for (const key of old.values()) this.tables.entries.removeSync(entryKey(index, key, idKey));
    }
    this.#noteArrays(collection.namespace, entries);
  }

  remove(collection: Collection, document: BsonDocument): void {
    const idKey = idKeyOf(document['_id']);
    this.tables.documents.removeSync(documentKey(collection, idKey));
    for (const index of collection.indexes)
      for (const key of entriesOf(index, document).keys) this.tables.entries.removeSync(entryKey(index, key, idKey));
  }

  /** Adds the entry of one document to a new index. */
  addToIndex(collection: Collection, index: Index, document: BsonDocument): void {
    const idKey = idKeyOf(document['_id']);
    const entries = this.#checkedEntriesOf(collection, index, document, idKey);
    for (const key of entries.keys) this.tables.entries.putSync(entryKey(index, key, idKey), idKey);
    this.#noteArrays(collection.namespace, [[index, entries]]);
  }

  /** Removes all entries of a dropped index. */
  clearIndex(index: Index): void {
    clear(this.tables.entries, index.id);
  }

  /** Removes all documents of a dropped collection, and their index entries. */
  clearCollection(collection: Collection): void {
    clear(this.tables.documents, collection.id);
    for (const index of collection.indexes) this.clearIndex(index);
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

  /** Keeps in the catalog through which fields of which index arrays lead. */
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

/** `_id` as an index value. */
export function idKeyOf(id: unknown): Buffer {
  const key = new KeyBytes();
  appendIndexValue(key, id);
  if (key.length > MAX_KEY_BYTES)
    throw new CommandError('KeyTooLong', `_id is too long: at most ${MAX_KEY_BYTES} bytes`);
  return key.take();
}

function entryKey(index: Index, key: Buffer, idKey: Buffer): Buffer {
  const prefix = tablePrefix(index.id);
  return Buffer.concat(index.unique ? [prefix, key] : [prefix, key, idKey]);
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
