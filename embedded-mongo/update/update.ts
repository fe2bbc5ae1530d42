import { CommandError, notSupported } from '../values/command-error.js';
import { isDocument, MISSING, fieldOf, type BsonDocument } from '../values/document.js';
import { compareValues } from '../values/order.js';
import type { Path } from '../values/path.js';
import type { Change, UpdateContext } from './operator.js';
import { operatorNamed } from './operators.js';
import { parseTargetPath, Target } from './target.js';

/** An update, read and checked once, to be applied to any number of documents. */
export interface Update {
  /** The top-level fields that it may change. */
  readonly fields: ReadonlySet<string>;
  /**
   * @param document may be changed in place; use the returned one
   * @throws CommandError when the operators do not fit the document, or would change its `_id`
   */
  apply(document: BsonDocument, context: UpdateContext): BsonDocument;
}

/** Reads a document of operators. Replacement documents and pipelines are refused. */
export function parseUpdate(update: unknown): Update {
  if (Array.isArray(update)) throw notSupported('updates by an aggregation pipeline');
  if (!isDocument(update)) throw new CommandError('FailedToParse', 'the update must be a document');
  if (Object.keys(update)[0]?.startsWith('$') !== true) throw notSupported('updates by a replacement document');
  const changes: { path: Path; change: Change }[] = [];
  for (const [name, operands] of Object.entries(update)) {
    if (!name.startsWith('$'))
      throw new CommandError('FailedToParse', `unknown modifier: ${name}; an update has operators only or none`);
    const operator = operatorNamed(name);
    if (!isDocument(operands)) throw new CommandError('FailedToParse', `the operand of ${name} must be a document`);
    for (const [path, operand] of Object.entries(operands))
      changes.push({ path: parseTargetPath(path), change: operator(operand) });
  }
  assertApart(changes.map(({ path }) => path));
  return {
    fields: new Set(changes.map(({ path }) => path[0] ?? '')),
    apply: (document, context) => {
      const id = fieldOf(document, '_id');
      for (const { path, change } of changes) change(new Target(document, path), context);
      if (id !== MISSING) assertSameId(id, fieldOf(document, '_id'));
      return document;
    },
  };
}

/**
 * Refuses two operators on one field, or on a field and a part of it. Their result would depend on the order of the operators, which a
 * document does not promise.
 */
function assertApart(paths: readonly Path[]): void {
  const names = paths.map((path) => path.join('.')).sort();
  for (const [at, name] of names.entries()) {
    const next = names.slice(at + 1).find((other) => other === name || other.startsWith(`${name}.`));
    if (next !== undefined)
      throw new CommandError('ConflictingUpdateOperators', `updating '${next}' would conflict with updating '${name}'`);
  }
}

function assertSameId(before: unknown, after: unknown): void {
  if (after !== MISSING && compareValues(before, after) === 0) return;
  throw new CommandError('ImmutableField', "the update would change the immutable field '_id'");
}
