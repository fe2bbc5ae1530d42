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
  // The collection is looked up for each document, as the document before may have been the first with an array in an index.
  const collection = ensureCollection(writer, namespace);
  const before = new Map(touched(collection.indexes, update).map((index) => [index, entriesOf(index, fields)]));
  const after = update.apply(fields, { inserting: false });
  const newBytes = encodeStorable(after);
  const modified = Buffer.compare(bytes, newBytes) !== 0;
  if (modified) writer.replace(collection, before, { fields: after, bytes: newBytes });
  return { after, modified };
}

/** Returns the indexes whose entries of a document may change by the update. */
function touched(indexes: readonly Index[], { fields }: Update): readonly Index[] {
  return indexes.filter((index) => dependsOn(index, fields));
}
