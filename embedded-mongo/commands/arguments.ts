import { CommandError } from '../values/command-error.js';
import { isDocument, type BsonDocument } from '../values/document.js';

/**
 * Returns a field as a boolean, where any number but 0 is true. Returns undefined for an absent or null field. Throws an error with the
 * field's name for other types.
 */
export function optionalBoolean(body: BsonDocument, name: string): boolean | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  throw wrongType(name, 'a boolean');
}

/** Returns a whole number that is not negative, or undefined for an absent or null field. */
export function optionalCount(body: BsonDocument, name: string): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw wrongType(name, 'a number');
  if (!Number.isInteger(value) || value < 0)
    throw new CommandError(
      'BadValue',
      `BSON field '${name}' value must be a whole number >= 0, actual value '${value}'`,
    );
  return value;
}

export function optionalDocument(body: BsonDocument, name: string): BsonDocument | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || isDocument(value)) return value;
  throw wrongType(name, 'a document');
}

export function requiredDocument(body: BsonDocument, name: string): BsonDocument {
  return optionalDocument(body, name) ?? missing(name);
}

export function requiredArray(body: BsonDocument, name: string): readonly unknown[] {
  const value = body[name];
  if (Array.isArray(value)) return value;
  if (value === undefined) return missing(name);
  throw wrongType(name, 'an array');
}

export function requiredString(body: BsonDocument, name: string): string {
  const value = body[name];
  if (typeof value === 'string') return value;
  if (value === undefined) return missing(name);
  throw wrongType(name, 'a string');
}

function missing(name: string): never {
  throw new CommandError('IDLFailedToParse', `BSON field '${name}' is missing but a required field`);
}

function wrongType(name: string, wanted: string): CommandError {
  return new CommandError('TypeMismatch', `BSON field '${name}' is the wrong type, expected ${wanted}`);
}
