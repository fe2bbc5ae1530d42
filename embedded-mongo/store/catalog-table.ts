import { deserialize, serialize } from 'bson';
import { parsePath } from '../values/path.js';
import type { BsonDocument } from '../values/document.js';
import { Catalog, type Collection, type Index, type IndexField } from './catalog.js';
import type { Table } from './view.js';

/** The catalog on disk: an entry `state` with the next id, and one `collection:<namespace>` for each collection. */
export function loadCatalog(table: Table): Catalog {
  const state = table.get(STATE_KEY);
  const { nextId = 1, format = FORMAT }: Partial<StoredState> = state === undefined ? {} : deserialize(state);
  if (format > FORMAT)
    throw new Error(
      `The database in the data folder has format ${format}, this version reads up to ${FORMAT}. Start the version that wrote it, or a newer one.`,
    );
  const collections: Collection[] = [];
  for (const { value } of table.getRange({ start: COLLECTION_PREFIX, end: AFTER_COLLECTIONS }))
    collections.push(toCollection(deserialize(value) as StoredCollection));
  return new Catalog(nextId, collections);
}

/** Writes the differences between `before` and `after`. Call it inside a write batch. */
export function storeCatalog(table: Table, before: Catalog, after: Catalog): void {
  for (const { namespace } of before.all()) if (after.get(namespace) === undefined) table.removeSync(keyOf(namespace));
  for (const collection of after.all()) {
    if (before.get(collection.namespace) !== collection)
      table.putSync(keyOf(collection.namespace), toBuffer(serialize(toStored(collection))));
  }
  table.putSync(STATE_KEY, toBuffer(serialize({ nextId: after.nextId, format: FORMAT } satisfies StoredState)));
}

/**
 * The format of the tables and of everything in them. The number grows with each change that an older version could not read. The first
 * files have no format and count as format 1.
 */
const FORMAT = 1;

interface StoredState {
  nextId: number;
  format: number;
}

const STATE_KEY = Buffer.from('state');
const COLLECTION_PREFIX = Buffer.from('collection:');
const AFTER_COLLECTIONS = Buffer.from('collection;');

function keyOf(namespace: string): Buffer {
  return Buffer.concat([COLLECTION_PREFIX, Buffer.from(namespace)]);
}

interface StoredCollection {
  id: number;
  namespace: string;
  indexes: StoredIndex[];
}

interface StoredIndex {
  id: number;
  name: string;
  fields: { name: string; direction: 1 | -1; multikey: boolean }[];
  unique: boolean;
  sparse: boolean;
  partialFilter?: BsonDocument;
  expireAfterSeconds?: number;
}

function toStored({ id, namespace, indexes }: Collection): StoredCollection {
  return {
    id,
    namespace,
    indexes: indexes.map((index) => ({
      ...index,
      fields: index.fields.map(({ name, direction, multikey }) => ({ name, direction, multikey })),
    })),
  };
}

function toCollection({ id, namespace, indexes }: StoredCollection): Collection {
  return {
    id,
    namespace,
    indexes: indexes.map((index): Index => ({
      ...index,
      fields: index.fields.map((field): IndexField => ({ ...field, path: parsePath(field.name) })),
    })),
  };
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
