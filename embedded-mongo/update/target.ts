import { CommandError, notSupported } from '../values/command-error.js';
import { fieldOf, isDocument, MISSING, type BsonDocument } from '../values/document.js';
import { isPosition, parsePath, type Path } from '../values/path.js';

/** Parses the path that an update operator names. Positional parts (`$`, `$[]`, `$[name]`) are refused. */
export function parseTargetPath(name: string): Path {
  const path = parsePath(name);
  for (const part of path) {
    if (part === '__proto__') throw notSupported("a field named '__proto__'");
    if (/^\$(\[.*\])?$/.test(part)) throw notSupported(`the positional '${part}' in the update path '${name}'`);
    if (part.startsWith('$'))
      throw new CommandError('DollarPrefixedFieldName', `the field '${part}' in '${name}' must not start with '$'`);
  }
  return path;
}

/** MongoDB pads an array with nulls at most this far. */
const MAX_PADDING = 1_500_000;

/** The place in one document that an operator reads and changes. */
export class Target {
  readonly #document: BsonDocument;
  readonly #path: Path;

  constructor(document: BsonDocument, path: Path) {
    this.#document = document;
    this.#path = path;
  }

  get name(): string {
    return this.#path.join('.');
  }

  /** The value, or MISSING. It is MISSING too where something else is in the way; only `set` throws for that. */
  get value(): unknown {
    let current: unknown = this.#document;
    for (const part of this.#path) {
      current = step(current, part);
      if (current === MISSING) return MISSING;
    }
    return current;
  }

  /** Sets the value, and makes documents on the way that are missing. Throws PathNotViable where something else is in the way. */
  set(value: unknown): void {
    let current: BsonDocument | unknown[] = this.#document;
    for (const part of this.#path.slice(0, -1)) {
      const next = step(current, part);
      if (isDocument(next) || Array.isArray(next)) {
        current = next;
        continue;
      }
      if (next !== MISSING) throw this.#blocked(part);
      const made: BsonDocument = {};
      this.#assign(current, part, made);
      current = made;
    }
    this.#assign(current, this.#last, value);
  }

  /** Removes the field; an element of an array becomes null, so that the others keep their places. */
  unset(): void {
    const parent = new Target(this.#document, this.#path.slice(0, -1)).value;
    if (isDocument(parent)) Reflect.deleteProperty(parent, this.#last);
    else if (Array.isArray(parent) && isPosition(this.#last) && Number(this.#last) < parent.length)
      parent[Number(this.#last)] = null;
  }

  get #last(): string {
    return this.#path.at(-1) ?? '';
  }

  #assign(container: BsonDocument | unknown[], part: string, value: unknown): void {
    if (!Array.isArray(container)) {
      container[part] = value;
      return;
    }
    if (!isPosition(part)) throw this.#blocked(part);
    const position = Number(part);
    if (position > container.length + MAX_PADDING)
      throw new CommandError(
        'BadValue',
        `cannot pad an array with more than ${MAX_PADDING} nulls to reach '${this.name}'`,
      );
    while (container.length < position) container.push(null);
    container[position] = value;
  }

  #blocked(part: string): CommandError {
    return new CommandError('PathNotViable', `cannot create '${this.name}': '${part}' is not a field of a document`);
  }
}

function step(container: unknown, part: string): unknown {
  if (isDocument(container)) return fieldOf(container, part);
  if (!Array.isArray(container) || !isPosition(part)) return MISSING;
  const position = Number(part);
  return position < container.length ? container[position] : MISSING;
}
