import { CommandError } from '../values/command-error.js';
import { compileFilter, type Matches } from '../filter/match.js';
import { type Filter, parseFilter } from '../filter/filter.js';
import { MISSING, type BsonDocument } from '../values/document.js';
import { appendIndexValue, EMPTY_ARRAY, KeyBytes } from '../values/index-key.js';
import { meetsArray, someAt, type Path } from '../values/path.js';
import { keyPatternOf, type Index } from './catalog.js';

/** LMDB's limit with 4 KiB pages is 1,978 bytes. The table prefix takes the difference. */
export const MAX_KEY_BYTES = 1_970;

export interface IndexEntries {
  /** The indexed values as bytes, without the table prefix and without the document's id; no two alike. */
  readonly keys: readonly Buffer[];
  /** For each field whether this document has an array on its path. */
  readonly multikey: readonly boolean[];
}

/** Returns the entries of `document` in `index`. There are none when a sparse or partial index leaves the document out. */
export function entriesOf(index: Index, document: BsonDocument): IndexEntries {
  if (index.partialFilter !== undefined && !partial(index.partialFilter).matches(document)) return NONE;
  const values = index.fields.map(({ path }) => indexValuesAt(document, path));
  if (index.sparse && values.every((ofField) => ofField.every((value) => value === MISSING))) return NONE;
  const multikey = index.fields.map(({ path }) => meetsArray(document, path));
  const fanned = values.filter((ofField) => ofField.length > 1).length;
  if (fanned > 1) {
    const pattern = JSON.stringify(keyPatternOf(index));
    throw new CommandError('CannotIndexParallelArrays', `cannot index two fields with arrays in one index: ${pattern}`);
  }
  return { keys: keysOf(index, values), multikey };
}

/** Whether the entries of a document in `index` can change with one of the fields `touched`. */
export function dependsOn(index: Index, touched: ReadonlySet<string>): boolean {
  const filter = index.partialFilter;
  return (
    index.fields.some(({ path: [field = ''] }) => touched.has(field)) ||
    (filter !== undefined && fieldsOf(partial(filter).parsed).some((field) => touched.has(field)))
  );
}

function fieldsOf(filter: Filter): string[] {
  return filter.kind === 'field' ? filter.path.slice(0, 1) : filter.branches.flatMap(fieldsOf);
}

const NONE: IndexEntries = { keys: [], multikey: [] };

/** The compiled filter of each partial index, by the filter in the catalog. An index that is made again has another filter object. */
const compiled = new WeakMap<BsonDocument, { parsed: Filter; matches: Matches }>();

/** Returns the compiled filter of a partial index. */
export function partial(filter: BsonDocument): { parsed: Filter; matches: Matches } {
  let known = compiled.get(filter);
  if (known === undefined) {
    const parsed = parseFilter(filter);
    known = { parsed, matches: compileFilter(parsed) };
    compiled.set(filter, known);
  }
  return known;
}

function indexValuesAt(document: BsonDocument, path: Path): unknown[] {
  const values: unknown[] = [];
  someAt(document, path, (value) => {
    if (!Array.isArray(value)) values.push(value);
    else if (value.length === 0) values.push(EMPTY_ARRAY);
    else values.push(...(value as unknown[]));
    return false;
  });
  return values.length === 0 ? [MISSING] : values;
}

function keysOf(index: Index, values: readonly (readonly unknown[])[]): Buffer[] {
  if (values.every(({ length }) => length === 1))
    return [
      keyOf(
        index,
        values.map(([value]) => value),
      ),
    ];
  const rows = values.reduce<readonly (readonly unknown[])[]>(
    (sofar, ofField) => sofar.flatMap((row) => ofField.map((value) => [...row, value])),
    [[]],
  );
  const keys = rows.map((row) => keyOf(index, row));
  return [...new Map(keys.map((key) => [key.toString('latin1'), key])).values()];
}

function keyOf(index: Index, row: readonly unknown[]): Buffer {
  const key = new KeyBytes();
  for (const [at, { direction }] of index.fields.entries()) appendIndexValue(key, row[at], direction);
  return key.take();
}
