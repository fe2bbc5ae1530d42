import { ensureCollection } from '../store/definitions.js';
import type { Writer } from '../store/writer.js';
import { decode, encodeStorable } from '../values/bson.js';
import type { BsonDocument } from '../values/document.js';
import type { Match } from '../query/candidates.js';
import type { Update } from './update.js';

export interface Changed {
  readonly after: BsonDocument;
  /** False when the update left the document as it was; nothing is written then. */
  readonly modified: boolean;
}

/** Applies an update to one stored document. */
export function changeDocument(
  writer: Writer,
  namespace: string,
  { fields: before, bytes }: Match,
  update: Update,
  now: Date,
): Changed {
  const after = update.apply(decode(bytes), { inserting: false, now });
  const newBytes = encodeStorable(after);
  const modified = Buffer.compare(bytes, newBytes) !== 0;
  // The definition is asked for each document: the one before may have brought an index its first array.
  if (modified) {
    const collection = ensureCollection(writer, namespace);
    writer.replace(collection, before, { fields: after, bytes: newBytes }, update.touched);
  }
  return { after, modified };
}
