import { CommandError, notSupported } from '../command-error.js';
import { isDocument, kindOf, type BsonDocument, type Kind } from '../values/document.js';
import { parsePath, type Path } from '../values/path.js';

/** A filter, read once: what the matcher compiles and the planner looks for index bounds in. */
export type Filter =
  | { readonly kind: 'and' | 'or' | 'nor'; readonly branches: readonly Filter[] }
  | { readonly kind: 'field'; readonly path: Path; readonly test: Test };

/** What one field must satisfy. */
export type Test =
  | { readonly op: 'eq' | Comparison; readonly value: unknown }
  | { readonly op: 'in'; readonly values: readonly unknown[] }
  | { readonly op: 'exists'; readonly wanted: boolean }
  | { readonly op: 'type'; readonly types: readonly TypeName[] }
  | { readonly op: 'size'; readonly size: number }
  | { readonly op: 'all'; readonly tests: readonly Test[] }
  | { readonly op: 'elemMatch'; readonly filter: Filter }
  | { readonly op: 'elemMatchValue'; readonly tests: readonly Test[] }
  | { readonly op: 'not'; readonly tests: readonly Test[] };

export type Comparison = 'gt' | 'gte' | 'lt' | 'lte';

/** The names `$type` takes. `int` and `double` follow how the driver writes a JavaScript number. */
export type TypeName = Exclude<Kind, 'boolean' | 'binary'> | 'bool' | 'binData' | 'int' | 'double';

const TYPES_BY_NUMBER: Readonly<Record<number, TypeName>> = {
  1: 'double',
  2: 'string',
  3: 'object',
  4: 'array',
  5: 'binData',
  7: 'objectId',
  8: 'bool',
  9: 'date',
  10: 'null',
  16: 'int',
};
const TYPE_NAMES = new Set<unknown>([...Object.values(TYPES_BY_NUMBER), 'number']);

/** Reads a filter document. Anything outside the supported operators throws, naming it. */
export function parseFilter(filter: unknown): Filter {
  if (!isDocument(filter)) throw new CommandError('TypeMismatch', 'the filter must be a document');
  const branches: Filter[] = [];
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$and' || name === '$or' || name === '$nor') {
      branches.push({ kind: name.slice(1) as 'and' | 'or' | 'nor', branches: filterList(name, value) });
    } else if (name === '$comment') {
      continue;
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

const KNOWN_ELSEWHERE = new Set([
  '$expr',
  '$where',
  '$text',
  '$jsonSchema',
  '$sampleRate',
  '$mod',
  '$regex',
  '$options',
  '$near',
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
    case '$eq':
      return [{ op: 'eq', value: supported(operand) }];
    case '$ne':
      return [{ op: 'not', tests: [{ op: 'eq', value: supported(operand) }] }];
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return [{ op: operator.slice(1) as Comparison, value: supported(operand) }];
    case '$in':
      return [parseIn(operator, operand)];
    case '$nin':
      return [{ op: 'not', tests: [parseIn(operator, operand)] }];
    case '$exists':
      return [{ op: 'exists', wanted: operand !== false && operand !== 0 && operand !== null }];
    case '$type':
      return [{ op: 'type', types: (Array.isArray(operand) ? operand : [operand]).map(typeName) }];
    case '$size':
      if (typeof operand !== 'number' || !Number.isInteger(operand) || operand < 0)
        throw new CommandError('BadValue', '$size must be a whole number that is not negative');
      return [{ op: 'size', size: operand }];
    case '$all':
      return [{ op: 'all', tests: parseAll(operand) }];
    case '$elemMatch':
      return [parseElemMatch(operand)];
    case '$not':
      return [{ op: 'not', tests: parseNot(operand) }];
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

function parseAll(operand: unknown): Test[] {
  if (!Array.isArray(operand)) throw new CommandError('BadValue', '$all needs an array');
  return operand.map((value: unknown) => {
    if (!isOperators(value)) return { op: 'eq', value: supported(value) };
    if (!('$elemMatch' in value)) throw new CommandError('BadValue', 'no $ expressions in $all');
    return parseElemMatch(value['$elemMatch']);
  });
}

/** `{$elemMatch: {$gt: 1}}` tests the elements themselves, `{$elemMatch: {a: 1}}` documents among them. */
function parseElemMatch(operand: unknown): Test {
  if (!isDocument(operand)) throw new CommandError('BadValue', '$elemMatch needs a document');
  const [first] = Object.keys(operand);
  const byValue = first?.startsWith('$') === true && !['$and', '$or', '$nor'].includes(first);
  return byValue
    ? { op: 'elemMatchValue', tests: parseTests(operand) }
    : { op: 'elemMatch', filter: parseFilter(operand) };
}

function parseNot(operand: unknown): Test[] {
  supported(operand);
  if (!isOperators(operand)) throw new CommandError('BadValue', '$not needs a document of operators');
  return parseTests(operand);
}

function typeName(type: unknown): TypeName {
  const name = typeof type === 'number' ? TYPES_BY_NUMBER[type] : type;
  if (!TYPE_NAMES.has(name)) throw notSupported(`$type ${String(type)}`);
  return name as TypeName;
}

/** Refuses a value no stored document can hold, since comparing with it would quietly match nothing. */
function supported(value: unknown): unknown {
  if (Array.isArray(value)) value.forEach(supported);
  else if (isDocument(value)) Object.values(value).forEach(supported);
  else kindOf(value);
  return value;
}
