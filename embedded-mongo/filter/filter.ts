import { CommandError, notSupported } from '../values/command-error.js';
import { isDocument, kindOf, type BsonDocument } from '../values/document.js';
import { parsePath, type Path } from '../values/path.js';

/** A parsed filter: the matcher compiles it, and the planner derives index bounds from it. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly branches: readonly Filter[] }
  | { readonly kind: 'field'; readonly path: Path; readonly test: Test };

/** The condition on one field. */
export type Test =
  | { readonly op: 'eq' | Comparison; readonly value: unknown }
  | { readonly op: 'in'; readonly values: readonly unknown[] }
  | { readonly op: 'exists'; readonly wanted: boolean }
  | { readonly op: 'ne'; readonly value: unknown };

export type Comparison = 'gt' | 'gte' | 'lt' | 'lte';

/** Reads a filter document. Anything outside the supported operators throws, naming it. */
export function parseFilter(filter: unknown): Filter {
  if (!isDocument(filter)) throw new CommandError('TypeMismatch', 'the filter must be a document');
  const branches: Filter[] = [];
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$or') {
      branches.push({ kind: 'or', branches: filterList(name, value) });
    } else if (name === '$and') {
      // The branches join those of the filter, so that the planner finds their bounds.
      for (const branch of filterList(name, value))
        branches.push(...(branch.kind === 'and' ? branch.branches : [branch]));
    } else if (name.startsWith('$')) {
      throw KNOWN_ELSEWHERE.has(name)
        ? notSupported(`the filter operator ${name}`)
        : new CommandError('BadValue', `unknown top level operator: ${name}`);
    } else {
      const path = parsePath(name);
      for (const test of parseTests(value)) branches.push({ kind: 'field', path, test });
    }
  }
  const [only] = branches;
  return branches.length === 1 && only !== undefined ? only : { kind: 'and', branches };
}

/** Operators that MongoDB has and this server does not. The error for them differs from that for operators that MongoDB does not know. */
const KNOWN_ELSEWHERE = new Set([
  ...['$nor', '$not', '$comment', '$expr', '$where', '$text', '$jsonSchema', '$sampleRate'],
  ...['$nin', '$type', '$size', '$all', '$elemMatch', '$mod', '$regex', '$options', '$near'],
]);

function filterList(name: string, value: unknown): Filter[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new CommandError('BadValue', `${name} must be a nonempty array`);
  return value.map(parseFilter);
}

/** The tests in `{field: value}`: a document of operators, or a value to equal. */
function parseTests(value: unknown): Test[] {
  if (!isOperators(value)) return [{ op: 'eq', value: supported(value) }];
  return Object.entries(value).flatMap(([operator, operand]) => parseTest(operator, operand));
}

function isOperators(value: unknown): value is BsonDocument {
  return isDocument(value) && Object.keys(value)[0]?.startsWith('$') === true;
}

function parseTest(operator: string, operand: unknown): Test[] {
  switch (operator) {
    // rate-limiter-flexible uses this operator.
    case '$eq':
      return [{ op: 'eq', value: supported(operand) }];
    case '$ne':
      return [{ op: 'ne', value: supported(operand) }];
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return [{ op: operator.slice(1) as Comparison, value: supported(operand) }];
    case '$in':
      return [parseIn(operator, operand)];
    case '$exists':
      return [{ op: 'exists', wanted: operand !== false && operand !== 0 && operand !== null }];
    default:
      throw KNOWN_ELSEWHERE.has(operator)
        ? notSupported(`the filter operator ${operator}`)
        : new CommandError('BadValue', `unknown operator: ${operator}`);
  }
}

function parseIn(operator: string, operand: unknown): Test {
  if (!Array.isArray(operand)) throw new CommandError('BadValue', `${operator} needs an array`);
  const values = operand.map(supported);
  if (values.some(isOperators)) throw new CommandError('BadValue', `cannot nest $ under ${operator}`);
  return { op: 'in', values };
}

/** Refuses a value no stored document can hold, since comparing with it would quietly match nothing. */
function supported(value: unknown): unknown {
  if (Array.isArray(value)) value.forEach(supported);
  else if (isDocument(value)) Object.values(value).forEach(supported);
  else kindOf(value);
  return value;
}
