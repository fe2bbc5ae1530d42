import { CommandError } from '../values/command-error.js';
import { decode } from '../values/bson.js';
import { afterPrefix } from '../values/index-key.js';
import type { Collection, Index } from './catalog.js';
import { tablePrefix } from './view.js';
import type { Writer } from './writer.js';

/** Returns the collection. Makes a missing one, as a first write does in MongoDB. */
export function ensureCollection(writer: Writer, namespace: string): Collection {
  const known = writer.catalog.get(namespace);
  if (known !== undefined) return known;
  const { nextId } = writer.catalog;
  const collection: Collection = { id: nextId, namespace, indexes: [] };
  writer.setCatalog(writer.catalog.with(collection, nextId + 1));
  return collection;
}

/**
 * Adds an index, with entries for all documents of the collection. If a document does not fit, the index is removed again, and the error is
 * thrown.
 */
export function addIndex(writer: Writer, namespace: string, definition: Omit<Index, 'id'>): void {
  const collection = ensureCollection(writer, namespace);
  const { nextId } = writer.catalog;
  const index: Index = { ...definition, id: nextId };
  writer.setCatalog(writer.catalog.with({ ...collection, indexes: [...collection.indexes, index] }, nextId + 1));
  const start = tablePrefix(collection.id);
  try {
    for (const { bytes } of writer.documents({ start, end: afterPrefix(start) }))
      writer.addToIndex(collection, index, decode(bytes));
  } catch (error) {
    if (error instanceof CommandError) {
      writer.clearIndex(index);
      writer.setCatalog(writer.catalog.with(collection));
    }
    throw error;
  }
}

/** Removes an index with its entries. */
export function dropIndex(writer: Writer, collection: Collection, index: Index): void {
  writer.clearIndex(index);
  const indexes = collection.indexes.filter(({ id }) => id !== index.id);
  writer.setCatalog(writer.catalog.with({ ...collection, indexes }));
}
