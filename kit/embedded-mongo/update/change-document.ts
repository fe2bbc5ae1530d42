import { ensureCollection } from '../store/definitions.js';
import type { Index } from '../store/catalog.js';
import { entriesOf } from '../store/index-entries.js';
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
export function changeDocument(
  writer: Writer,
  namespace: string,
  { fields, bytes }: Match,
  update: Update,
  now: Date,
): Changed {
  // The definition is asked for each document: the one before may have brought an index its first array.
  const collection = ensureCollection(writer, namespace);
  const before = new Map(
    collection.indexes.filter((index) => touches(update, index)).map((index) => [index, entriesOf(index, fields)]),
  );
  const after = update.apply(fields, { inserting: false, now });
  const newBytes = encodeStorable(after);
  const modified = Buffer.compare(bytes, newBytes) !== 0;
  if (modified) writer.replace(collection, before, { fields: after, bytes: newBytes });
  return { after, modified };
}

/** Whether an update may change what an index holds of a document. */
function touches({ fields }: Update, index: Index): boolean {
  if (fields === undefined || index.partialFilter !== undefined) return true;
  return index.fields.some(({ path: [field = ''] }) => fields.has(field));
}
