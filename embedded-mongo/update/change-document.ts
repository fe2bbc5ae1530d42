import { ensureCollection } from '../store/definitions.js';
import type { Index } from '../store/catalog.js';
import { dependsOn, entriesOf } from '../store/index-entries.js';
import type { Writer } from '../store/writer.js';
import { encodeStorable } from '../values/bson.js';
import type { BsonDocument } from '../values/document.js';
import type { Match } from '../query/candidates.js';
import type { Update } from './update.js';

export interface Changed {
  readonly after: BsonDocument;
  /** False when the update left the document as it was; nothing is written then. */
  readonly modified: boolean;
}

/** Applies an update to one stored document. The fields of the match are changed in place. */
export function changeDocument(writer: Writer, namespace: string, { fields, bytes }: Match, update: Update): Changed {
  // The definition is looked up for each document: the one before may have brought an index its first array.
  const collection = ensureCollection(writer, namespace);
  const before = new Map(touched(collection.indexes, update).map((index) => [index, entriesOf(index, fields)]));
  const after = update.apply(fields, { inserting: false });
  const newBytes = encodeStorable(after);
  const modified = Buffer.compare(bytes, newBytes) !== 0;
  if (modified) writer.replace(collection, before, { fields: after, bytes: newBytes });
  return { after, modified };
}

/** The indexes that may hold something else of a document after an update. */
function touched(indexes: readonly Index[], { fields }: Update): readonly Index[] {
  return indexes.filter((index) => dependsOn(index, fields));
}
