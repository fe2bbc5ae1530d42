import { createReadStream } from 'node:fs';

/** The largest document that MongoDB stores, bytes, and room for the fields that it adds to its own. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024 + 16 * 1024;

/** How much of a file is read at once, bytes. */
const CHUNK_BYTES = 1024 * 1024;

/** Most bytes before the length of a document, and the least that a document has. */
const LENGTH_BYTES = 4;
const MIN_DOCUMENT_BYTES = 5;

/** A file ends within a document, or has a length that no document has. */
export class DamagedDocuments extends Error {
  override name = 'DamagedDocuments';
}

/**
 * Reads a file of documents one after the other, as mongodump writes them. It holds one document and one piece of the file at a time.
 * Throws DamagedDocuments.
 */
export async function* documentsIn(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= LENGTH_BYTES) {
      const bytes = rest.readInt32LE(0);
      if (bytes < MIN_DOCUMENT_BYTES || bytes > MAX_DOCUMENT_BYTES)
        throw new DamagedDocuments(`${path} has a document of ${bytes} bytes`);
      if (rest.length < bytes) break;
      yield rest.subarray(0, bytes);
      rest = rest.subarray(bytes);
    }
  }
  if (rest.length > 0) throw new DamagedDocuments(`${path} ends within a document`);
}
