import { Long, serialize } from 'bson';

/**
 * Returns the reply of find, aggregate and getMore: `{cursor: {id, ns, firstBatch | nextBatch: [...]}, ok: 1}`. The stored bytes of
 * each document are copied in. Decoding and encoding the documents again would cost most of a read.
 */
export function cursorReply(
  cursorId: number,
  namespace: string,
  batchName: 'firstBatch' | 'nextBatch',
  documents: readonly Uint8Array[],
): Buffer {
  const batch = element(0x04, batchName, arrayOf(documents));
  const head = withoutEnd(serialize({ id: Long.fromNumber(cursorId), ns: namespace }));
  const cursor = element(0x03, 'cursor', closed([head, batch]));
  return closed([cursor, withoutEnd(serialize({ ok: 1 }))]);
}

/** Returns a BSON array of documents. */
function arrayOf(documents: readonly Uint8Array[]): Buffer {
  return closed(documents.flatMap((document, at) => [elementHead(0x03, String(at)), document]));
}

function element(type: number, name: string, value: Uint8Array): Buffer {
  return Buffer.concat([elementHead(type, name), value]);
}

function elementHead(type: number, name: string): Buffer {
  return Buffer.from(`${String.fromCharCode(type)}${name}\0`, 'latin1');
}

/** Returns a document's elements, without the length before them and the 00 after them. */
function withoutEnd(document: Uint8Array): Uint8Array {
  return document.subarray(4, document.length - 1);
}

function closed(elements: readonly Uint8Array[]): Buffer {
  const bytes = elements.reduce((sum, part) => sum + part.length, 5);
  const length = Buffer.allocUnsafe(4);
  length.writeInt32LE(bytes);
  return Buffer.concat([length, ...elements, Buffer.of(0)], bytes);
}
