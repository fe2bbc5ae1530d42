import { CommandError, notSupported } from './command-error.js';

/** A decoded BSON document. Values are as `bson` decodes them, with numbers as JavaScript numbers. {@link kindOf} lists the types. */
export type BsonDocument = Record<string, unknown>;

/** Marks a missing field, where `undefined` could be mistaken for a value. */
export const MISSING: unique symbol = Symbol('missing');

/** Returns whether a value is a plain document, as opposed to an array, a Date or one of BSON's own classes. */
export function isDocument(value: unknown): value is BsonDocument {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date) return false;
  return !('_bsontype' in value) || typeof value._bsontype !== 'string' || Object.hasOwn(value, '_bsontype');
}

/** Returns a field of a document, or MISSING. Names that live on Object.prototype are no fields. */
export function fieldOf(document: BsonDocument, name: string): unknown {
  return Object.hasOwn(document, name) ? document[name] : MISSING;
}

/** MongoDB's limit of one document, in bytes of BSON. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** MongoDB's limit of nesting, counted in documents and arrays. */
const MAX_DEPTH = 100;

/**
 * Refuses values that may not be stored:
 * - types outside the portable subset (Long beyond 2^53, Decimal128, Timestamp, regular expressions, code, DBRef, MinKey, MaxKey);
 * - names that start with `$`;
 * - dates that no JavaScript Date holds;
 * - nesting beyond 100 levels.
 */
export function assertStorable(value: unknown, name = '', depth = 0): void {
  if (depth > MAX_DEPTH) throw new CommandError('BadValue', `document is nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) {
    for (const element of value) assertStorable(element, name, depth + 1);
  } else if (isDocument(value)) {
    for (const [field, inner] of Object.entries(value)) {
      if (field.startsWith('$'))
        throw new CommandError('DollarPrefixedFieldName', `the field '${field}' must not start with '$'`);
      if (field === '__proto__' || field === '_bsontype') throw notSupported(`a field named '${field}'`);
      assertStorable(inner, field, depth + 1);
    }
  } else {
    kindOf(value, name);
  }
}

export type Kind = 'null' | 'number' | 'string' | 'object' | 'array' | 'binary' | 'objectId' | 'boolean' | 'date';

/** Returns the kind of a value. Throws if its type is not supported. The error may name the field `name`. */
export function kindOf(value: unknown, name = ''): Kind {
  switch (typeof value) {
    case 'number':
      return 'number';
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'undefined': // BSON's deprecated undefined: like null, as everywhere in MongoDB's comparisons
      return 'null';
    case 'object':
      return kindOfObject(value, name);
    default:
      throw notSupported(`values of type ${typeof value}`);
  }
}

function kindOfObject(value: object | null, name: string): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw notSupported(`the date in field '${name}': beyond year 275760`);
    return 'date';
  }
  if (isDocument(value)) return 'object';
  const type = '_bsontype' in value ? value._bsontype : undefined;
  if (type === 'ObjectId') return 'objectId';
  if (type === 'Binary') return 'binary';
  const where = name === '' ? '' : ` in field '${name}'`;
  throw notSupported(`BSON type ${typeof type === 'string' ? type : 'unknown'}${where}`);
}
