import { CommandError, notSupported } from '../command-error.js';
import { isDocument, type BsonDocument } from '../values/document.js';
import { parsePath } from '../values/path.js';

export type Project = (document: BsonDocument) => BsonDocument;

/** A projection as a tree: a leaf is a field named in it, a branch leads on to deeper names. */
type Fields = Map<string, Fields | 'leaf'>;

/**
 * Reads `{a: 1, 'b.c': 1}` or `{a: 0}`. `_id` may go against the rest. Computed fields, `$slice`, `$elemMatch` and the
 * positional `$` are refused.
 *
 * @returns undefined when documents are to be given whole
 */
export function parseProjection(projection: unknown): Project | undefined {
  if (projection === undefined || projection === null) return undefined;
  if (!isDocument(projection)) throw new CommandError('TypeMismatch', 'the projection must be a document');
  const fields: Fields = new Map();
  let mode: boolean | undefined;
  let id: boolean | undefined;
  for (const [name, value] of Object.entries(projection)) {
    const included = isIncluded(name, value);
    if (name === '_id') {
      id = included;
      continue;
    }
    if (mode !== undefined && mode !== included)
      throw new CommandError('BadValue', `cannot mix inclusion and exclusion in a projection, at field '${name}'`);
    mode = included;
    addField(fields, name);
  }
  if (mode === undefined && id === undefined) return undefined;
  const inclusive = mode ?? id ?? true;
  if (inclusive ? id !== false : id === false) fields.set('_id', 'leaf');
  return inclusive ? (document) => include(document, fields) : (document) => exclude(document, fields);
}

function isIncluded(name: string, value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return Boolean(value);
  const what = isDocument(value) ? (Object.keys(value)[0] ?? 'an empty document') : 'a computed value';
  throw notSupported(`${what} in a projection, at field '${name}'`);
}

function addField(fields: Fields, name: string): void {
  const path = parsePath(name);
  let level = fields;
  for (const [at, part] of path.entries()) {
    if (part.startsWith('$')) throw notSupported(`'${part}' in a projection, at field '${name}'`);
    const known = level.get(part);
    if (known === 'leaf' || (known !== undefined && at === path.length - 1))
      throw new CommandError('BadValue', `path collision in the projection at '${name}'`);
    const next: Fields = known ?? new Map<string, Fields | 'leaf'>();
    level.set(part, at === path.length - 1 ? 'leaf' : next);
    level = next;
  }
}

function include(document: BsonDocument, fields: Fields): BsonDocument {
  const kept: BsonDocument = {};
  for (const [name, value] of Object.entries(document)) {
    const wanted = fields.get(name);
    if (wanted === 'leaf') kept[name] = value;
    else if (wanted !== undefined && (isDocument(value) || Array.isArray(value))) kept[name] = includeIn(value, wanted);
  }
  return kept;
}

/** Below an array only documents and arrays have the wanted fields; other elements are left out. */
function includeIn(value: BsonDocument | unknown[], fields: Fields): unknown {
  if (!Array.isArray(value)) return include(value, fields);
  return value
    .filter((element) => isDocument(element) || Array.isArray(element))
    .map((element: BsonDocument | unknown[]) => includeIn(element, fields));
}

function exclude(document: BsonDocument, fields: Fields): BsonDocument {
  const kept: BsonDocument = {};
  for (const [name, value] of Object.entries(document)) {
    const unwanted = fields.get(name);
    if (unwanted === undefined) kept[name] = value;
    else if (unwanted !== 'leaf') kept[name] = excludeIn(value, unwanted);
  }
  return kept;
}

function excludeIn(value: unknown, fields: Fields): unknown {
  if (Array.isArray(value)) return value.map((element) => excludeIn(element, fields));
  return isDocument(value) ? exclude(value, fields) : value;
}
