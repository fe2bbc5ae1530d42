import { calculateObjectSize, deserialize, serialize } from 'bson';
import { CommandError } from './command-error.js';
import { assertStorable, MAX_DOCUMENT_BYTES, type BsonDocument } from './document.js';

/**
 * Decodes a document. Numbers become JavaScript numbers, but 64-bit integers beyond 2^53 stay Long. Binary values and regular expressions
 * stay in BSON's own classes, which lose nothing. Throws for damaged bytes.
 */
export function decode(bytes: Uint8Array): BsonDocument {
  return deserialize(bytes, { promoteBuffers: false, bsonRegExp: true });
}

/** Decodes like `decode`, but keeps every 64-bit integer as Long, as for the ids of cursors. */
export function longsIn(bytes: Uint8Array): BsonDocument {
  return deserialize(bytes, { promoteBuffers: false, bsonRegExp: true, promoteLongs: false });
}

/** Returns the bytes of a document to be stored. Throws for a document that assertStorable refuses, and for one that is too large. */
export function encodeStorable(document: BsonDocument): Uint8Array {
  assertStorable(document);
  const bytes = serialized(document);
  assertSize(bytes.length);
  return bytes;
}

function serialized(document: BsonDocument): Uint8Array {
  try {
    return serialize(document);
  } catch (error) {
    // Beyond its buffer of 17 MB the encoder fails with an error that does not name the size.
    assertSize(calculateObjectSize(document));
    throw error;
  }
}

export function assertSize(bytes: number): void {
  if (bytes > MAX_DOCUMENT_BYTES)
    throw new CommandError(
      'BSONObjectTooLarge',
      `object to insert too large. size in bytes: ${bytes}, max size: ${MAX_DOCUMENT_BYTES}`,
    );
}
