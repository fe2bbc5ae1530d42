import { CommandError } from './command-error.js';
import { fieldOf, isDocument, MISSING, type BsonDocument } from './document.js';

/** A dotted path, taken apart once. */
export type Path = readonly string[];

export function parsePath(text: string): Path {
  const parts = text.split('.');
  if (parts.includes('')) throw new CommandError('EmptyFieldName', `the path '${text}' has an empty field name`);
  return parts;
}

/**
 * Calls `leaf` with each value that `path` leads to, until one call returns true; returns whether one did. Arrays on the way are entered by
 * element and by position; an array at the end is handed over whole. A field that is not there is MISSING. Elements that are not documents
 * lead nowhere, so a path through `[1, 2]` or `[]` has no value at all, as in MongoDB.
 */
export function someAt(value: unknown, path: Path, leaf: (value: unknown) => boolean, from = 0): boolean {
  let current = value;
  for (let at = from; at < path.length; at++) {
    if (Array.isArray(current)) return someInArray(current, path, leaf, at);
    const field: unknown = isDocument(current) ? fieldOf(current, path[at] ?? '') : MISSING;
    if (field === MISSING) return leaf(MISSING);
    current = field;
  }
  return leaf(current);
}

function someInArray(array: readonly unknown[], path: Path, leaf: (value: unknown) => boolean, at: number): boolean {
  for (const element of array) {
    if (isDocument(element) && someAt(element, path, leaf, at)) return true;
  }
  const position = Number(path[at]);
  if (!isPosition(path[at]) || position >= array.length) return false;
  const element: unknown = array[position];
  const leadsOn = at === path.length - 1 || isDocument(element) || Array.isArray(element);
  return leadsOn && someAt(element, path, leaf, at + 1);
}

/** Whether the path meets an array in this document, on the way or at its end. */
export function meetsArray(document: BsonDocument, path: Path): boolean {
  let current: unknown = document;
  for (const name of path) {
    if (!isDocument(current)) break;
    current = fieldOf(current, name);
  }
  return Array.isArray(current);
}

export function isPosition(part: string | undefined): boolean {
  return part !== undefined && /^(0|[1-9][0-9]{0,6})$/.test(part);
}
