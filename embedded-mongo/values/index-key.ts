import type { Binary, ObjectId } from 'bson';
import { kindOf, MISSING, type BsonDocument, type Kind } from './document.js';
import { RANKS } from './order.js';

/** How an empty array is represented in an index, where arrays are stored by element. Sorts below null, as in MongoDB. */
export const EMPTY_ARRAY: unique symbol = Symbol('empty array');

/** The value of one field of one document in an index. */
export type IndexValue = unknown;

/**
 * Appends `value` to `key` so that the bytes of two keys compare as compareValues compares the values. Every encoding ends itself (no
 * encoding is the beginning of another). So fields can follow each other, and inverting the bytes of a field turns its direction around. A
 * missing field is stored as null, as an equality with null matches it.
 *
 * ```
 * value    rank byte, then
 * number   8 bytes: the double, sign bit flipped when positive, all bits when negative; NaN is eight zeros
 * string   UTF-8 with 00 written as 00 FF, then 00 00
 * object   for each field: rank byte, name as a string, value without its rank byte; then 00
 * array    for each element: the value; then 00
 * binary   length in 4 bytes, subtype, bytes
 * date     8 bytes: milliseconds, sign bit flipped
 * ```
 */
export function appendIndexValue(key: KeyBytes, value: IndexValue, direction: 1 | -1 = 1): void {
  const start = key.length;
  if (value === EMPTY_ARRAY) key.byte(EMPTY_ARRAY_RANK);
  else appendValue(key, value === MISSING ? null : value);
  if (direction === -1) key.invertFrom(start);
}

const EMPTY_ARRAY_RANK = 3;

function appendValue(key: KeyBytes, value: unknown): void {
  const kind = kindOf(value);
  key.byte(RANKS[kind]);
  appendPayload(key, kind, value);
}

function appendPayload(key: KeyBytes, kind: Kind, value: unknown): void {
  switch (kind) {
    case 'null':
      return;
    case 'number':
      key.double(value as number);
      return;
    case 'string':
      key.string(value as string);
      return;
    case 'object':
      for (const [name, inner] of Object.entries(value as BsonDocument)) {
        const innerKind = kindOf(inner);
        key.byte(RANKS[innerKind]);
        key.string(name);
        appendPayload(key, innerKind, inner);
      }
      key.byte(0);
      return;
    case 'array':
      for (const element of value as unknown[]) appendValue(key, element);
      key.byte(0);
      return;
    case 'binary': {
      const binary = value as Binary;
      key.uint32(binary.position);
      key.byte(binary.sub_type);
      key.bytes(binary.buffer.subarray(0, binary.position));
      return;
    }
    case 'objectId':
      key.bytes((value as ObjectId).id);
      return;
    case 'boolean':
      key.byte(value === true ? 1 : 0);
      return;
    case 'date':
      key.int64(BigInt((value as Date).getTime()));
      return;
  }
}

/** A growing buffer with the few number formats whose bytes sort like the numbers. */
export class KeyBytes {
  #buffer = Buffer.allocUnsafe(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** A copy of the bytes written. */
  take(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  byte(value: number): void {
    const at = this.#reserve(1);
    this.#buffer[at] = value;
  }

  bytes(value: Uint8Array): void {
    const at = this.#reserve(value.length);
    this.#buffer.set(value, at);
  }

  uint32(value: number): void {
    const at = this.#reserve(4);
    this.#buffer.writeUInt32BE(value, at);
  }

  int64(value: bigint): void {
    const at = this.#reserve(8);
    this.#buffer.writeBigInt64BE(value, at);
    this.#flip(at, 0x80);
  }

  double(value: number): void {
    const at = this.#reserve(8);
    if (Number.isNaN(value)) {
      this.#buffer.fill(0, at, at + 8);
      return;
    }
    this.#buffer.writeDoubleBE(value === 0 ? 0 : value, at); // -0 equals 0
    if (value < 0) this.#invert(at, at + 8);
    else this.#flip(at, 0x80);
  }

  string(value: string): void {
    const bytes = Buffer.from(value, 'utf8');
    if (bytes.includes(0)) {
      for (const byte of bytes) {
        this.byte(byte);
        if (byte === 0) this.byte(0xff);
      }
    } else {
      this.bytes(bytes);
    }
    this.byte(0);
    this.byte(0);
  }

  invertFrom(start: number): void {
    this.#invert(start, this.#length);
  }

  #invert(start: number, end: number): void {
    for (let at = start; at < end; at++) this.#flip(at, 0xff);
  }

  #flip(at: number, mask: number): void {
    this.#buffer[at] = (this.#buffer[at] ?? 0) ^ mask;
  }

  /** Makes room, and returns where it begins. Call it on a line of its own, as it may replace `#buffer` by a larger one. */
  #reserve(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length));
      grown.set(this.#buffer.subarray(0, at));
      this.#buffer = grown;
    }
    return at;
  }
}

/** The smallest key above every key that starts with `prefix`. */
export function afterPrefix(prefix: Buffer): Buffer {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end--;
  if (end === 0) throw new RangeError('no key is above this prefix'); // every key starts with a table id, far below FF FF FF FF
  const next = Buffer.from(prefix.subarray(0, end));
  next[end - 1] = (next[end - 1] ?? 0) + 1;
  return next;
}
