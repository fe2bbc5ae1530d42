import { CommandError, notSupported } from '../values/command-error.js';
import { isDocument, type BsonDocument } from '../values/document.js';

export type Project = (document: BsonDocument) => BsonDocument;

/**
 * Reads `{a: 1, b: 1}`, which keeps those fields and `_id`, or `{a: 0}`, which leaves `a` out. Only whole fields can be kept or left out.
 * Dotted paths, computed fields, `$slice`, `$elemMatch`, the positional `$` and leaving out `_id` are refused.
 *
 * @returns undefined when the projection keeps whole documents
 */
export function parseProjection(projection: unknown): Project | undefined {
  if (projection === undefined || projection === null) return undefined;
  if (!isDocument(projection)) throw new CommandError('TypeMismatch', 'the projection must be a document');
  const named = new Set<string>();
  let mode: boolean | undefined;
  for (const [name, value] of Object.entries(projection)) {
    const included = isIncluded(name, value);
    if (mode !== undefined && mode !== included)
      throw new CommandError('BadValue', `cannot mix inclusion and exclusion in a projection, at field '${name}'`);
    mode = included;
    named.add(name);
  }
  if (mode === undefined) return undefined;
  const kept = (name: string): boolean => (mode ? name === '_id' || named.has(name) : !named.has(name));
  return (document) => Object.fromEntries(Object.entries(document).filter(([name]) => kept(name)));
}

function isIncluded(name: string, value: unknown): boolean {
  if (name.includes('.') || name.startsWith('$')) throw notSupported(`the path '${name}' in a projection`);
  const included = value === 1 || value === true;
  if (!included && value !== 0 && value !== false) {
    const what = isDocument(value) ? (Object.keys(value)[0] ?? 'an empty document') : 'a computed value';
    throw notSupported(`${what} in a projection, at field '${name}'`);
  }
  if (name === '_id' && !included) throw notSupported("a projection without '_id'");
  return included;
}
