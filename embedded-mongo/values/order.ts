import type { Binary, ObjectId } from 'bson';
import { kindOf, type BsonDocument, type Kind } from './document.js';

/**
 * Compares two values in MongoDB's order: first by type, see {@link RANKS}, then within the type. Numbers compare as numbers
 * regardless of their BSON type, with NaN first. Documents compare field by field: first the type of the value, then the name,
 * then the value. Index keys (index-key.ts) have the same order, and a test compares the two.
 *
 * @returns negative, 0 or positive. Throws a CommandError for a value of an unsupported type.
 */
export function compareValues(left: unknown, right: unknown): number {
  const kind = kindOf(left);
  const byRank = RANKS[kind] - RANKS[kindOf(right)];
  return byRank === 0 ? compareWithin(kind, left, right) : byRank;
}

/** The rank of each type in MongoDB's canonical order, as one byte. In an index key, 0 ends a document or array; 3 is an empty array. */
export const RANKS: Readonly<Record<Kind, number>> = {
  null: 5,
  number: 10,
  string: 15,
  object: 20,
  array: 25,
  binary: 30,
  objectId: 35,
  boolean: 40,
  date: 45,
};

function compareWithin(kind: Kind, left: unknown, right: unknown): number {
  switch (kind) {
    case 'null':
      return 0;
    case 'number':
      return compareNumbers(left as number, right as number);
    case 'string':
      return compareStrings(left as string, right as string);
    case 'object':
      return compareDocuments(left as BsonDocument, right as BsonDocument);
    case 'array':
      return compareArrays(left as unknown[], right as unknown[]);
    case 'binary':
      return compareBinaries(left as Binary, right as Binary);
    case 'objectId':
      return Buffer.compare((left as ObjectId).id, (right as ObjectId).id);
    case 'boolean':
      return Number(left) - Number(right);
    case 'date':
      return (left as Date).getTime() - (right as Date).getTime();
  }
}

function compareNumbers(left: number, right: number): number {
  if (left < right) return -1;
  if (left > right) return 1;
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
}

/** Compares by UTF-8 bytes, as MongoDB does without a collation. UTF-16 order differs once surrogate pairs meet U+E000 and above. */
function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return codePointWeight(a) - codePointWeight(b);
  }
  return left.length - right.length;
}

/** Lifts surrogates, which encode code points from U+10000, above the rest of the code units. */
function codePointWeight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareDocuments(left: BsonDocument, right: BsonDocument): number {
  const a = Object.entries(left);
  const b = Object.entries(right);
  for (const [at, [name, value]] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    const kind = kindOf(value);
    const order =
      RANKS[kind] - RANKS[kindOf(other[1])] || compareStrings(name, other[0]) || compareWithin(kind, value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareArrays(left: readonly unknown[], right: readonly unknown[]): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const order = compareValues(left[at], right[at]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareBinaries(left: Binary, right: Binary): number {
  return (
    left.position - right.position ||
    left.sub_type - right.sub_type ||
    Buffer.compare(left.buffer.subarray(0, left.position), right.buffer.subarray(0, right.position))
  );
}
