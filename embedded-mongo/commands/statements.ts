import { CommandError } from '../values/command-error.js';
import { isDocument, type BsonDocument } from '../values/document.js';
import { decode } from '../values/bson.js';
import type { Call } from './command.js';

/** MongoDB's limit, announced to drivers in hello; they split longer lists. */
export const MAX_STATEMENTS = 100_000;

/**
 * Returns the documents or statements of a write command. Drivers send them in the command's body, or in bytes beside it. If one of them
 * fails, its error becomes part of the command's reply: see {@link runStatements}.
 */
export function statementsOf(call: Call, field: string): readonly (Uint8Array | BsonDocument)[] {
  const beside = call.sequences.get(field);
  const inside = call.body[field];
  const statements = beside ?? inside;
  if (!Array.isArray(statements) || (beside !== undefined && inside !== undefined))
    throw new CommandError('IDLFailedToParse', `BSON field '${call.name}.${field}' must be given once, as an array`);
  if (statements.length === 0 || statements.length > MAX_STATEMENTS)
    throw new CommandError('BadValue', `${field} must have 1 to ${MAX_STATEMENTS} elements, not ${statements.length}`);
  return statements.map((statement: unknown) => {
    if (statement instanceof Uint8Array || isDocument(statement)) return statement;
    throw new CommandError('TypeMismatch', `each of '${field}' must be a document`);
  });
}

export function decoded(statement: Uint8Array | BsonDocument): BsonDocument {
  if (!(statement instanceof Uint8Array)) return statement;
  try {
    return decode(statement);
  } catch (error) {
    throw new CommandError('BadValue', `a document is not BSON: ${error instanceof Error ? error.message : ''}`);
  }
}

export interface WriteErrors {
  /** Absent when there was none, as in MongoDB's replies. */
  writeErrors?: BsonDocument[];
}

/**
 * Runs each statement, and collects errors with the positions of their statements. When `ordered`, the first error ends the run. What
 * earlier statements have written stays, as in MongoDB.
 */
export function runStatements<T>(
  statements: readonly T[],
  ordered: boolean,
  run: (statement: T, position: number) => void,
): WriteErrors {
  const writeErrors: BsonDocument[] = [];
  for (const [position, statement] of statements.entries()) {
    try {
      run(statement, position);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const { code, message, details } = error;
      writeErrors.push({ index: position, code, errmsg: message, ...details });
      if (ordered) break;
    }
  }
  return writeErrors.length > 0 ? { writeErrors } : {};
}
