import { CommandError } from '../command-error.js';
import { parseFilter } from '../query/filter.js';
import { compileFilter } from '../query/match.js';
import { compareSortKeys, parseSort, sortKeyOf } from '../query/sort.js';
import { isDocument, MISSING, type BsonDocument } from '../values/document.js';
import { compareValues } from '../values/order.js';
import type { Target } from './target.js';
import type { Operator } from './operator.js';

/** `{$push: {a: value}}` or `{a: {$each, $position, $sort, $slice}}`, which are applied in this order. */
export const push: Operator = (operand) => {
  const { each, position, sort, slice } = pushOptions(operand);
  return (target) => {
    const array = [...(arrayOrNothing(target, '$push') ?? [])];
    array.splice(position ?? array.length, 0, ...each);
    if (sort !== undefined) array.sort(sort);
    target.set(slice === undefined ? array : slice < 0 ? array.slice(slice) : array.slice(0, slice));
  };
};

/** `{$addToSet: {a: value}}` or `{a: {$each: [...]}}`. */
export const addToSet: Operator = (operand) => {
  const { each } = isEach(operand) ? { each: eachOf(operand, ['$each']) } : { each: [operand] };
  return (target) => {
    const array = [...(arrayOrNothing(target, '$addToSet') ?? [])];
    for (const value of each) if (!array.some((known) => compareValues(known, value) === 0)) array.push(value);
    target.set(array);
  };
};

/** Removes the elements equal to the operand or, when it is a document, those that satisfy it as a filter. */
export const pull: Operator = (operand) => {
  const removes = pullCondition(operand);
  return (target) => {
    const array = arrayOrNothing(target, '$pull');
    if (array !== undefined) target.set(array.filter((element) => !removes(element)));
  };
};

export const pullAll: Operator = (operand) => {
  if (!Array.isArray(operand)) throw new CommandError('BadValue', '$pullAll needs an array');
  return (target) => {
    const array = arrayOrNothing(target, '$pullAll');
    if (array === undefined) return;
    target.set(array.filter((element) => !operand.some((value) => compareValues(element, value) === 0)));
  };
};

/** `1` removes the last element, `-1` the first. */
export const pop: Operator = (operand) => {
  if (operand !== 1 && operand !== -1) throw new CommandError('FailedToParse', '$pop needs 1 or -1');
  return (target) => {
    const array = arrayOrNothing(target, '$pop');
    if (array !== undefined) target.set(operand === 1 ? array.slice(0, -1) : array.slice(1));
  };
};

interface PushOptions {
  readonly each: readonly unknown[];
  readonly position?: number;
  readonly sort?: (left: unknown, right: unknown) => number;
  readonly slice?: number;
}

function pushOptions(operand: unknown): PushOptions {
  if (!isEach(operand)) return { each: [operand] };
  const each = eachOf(operand, ['$each', '$position', '$sort', '$slice']);
  const { $position, $sort, $slice } = operand;
  return {
    each,
    ...($position !== undefined && { position: wholeNumber('$position', $position) }),
    ...($sort !== undefined && { sort: elementOrder($sort) }),
    ...($slice !== undefined && { slice: wholeNumber('$slice', $slice) }),
  };
}

function isEach(operand: unknown): operand is BsonDocument {
  return isDocument(operand) && Object.keys(operand).some((name) => name.startsWith('$'));
}

function eachOf(operand: BsonDocument, allowed: readonly string[]): readonly unknown[] {
  for (const name of Object.keys(operand))
    if (!allowed.includes(name)) throw new CommandError('BadValue', `unrecognized clause in an array update: ${name}`);
  const each = operand['$each'];
  if (!Array.isArray(each)) throw new CommandError('BadValue', '$each must be an array');
  return each as readonly unknown[];
}

function wholeNumber(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new CommandError('BadValue', `${name} must be a whole number`);
  return value;
}

/** `1` and `-1` order the elements themselves, a document orders them by their fields. */
function elementOrder(sort: unknown): (left: unknown, right: unknown) => number {
  if (sort === 1 || sort === -1) return (left, right) => compareValues(left, right) * sort;
  const spec = parseSort(sort);
  const keyOf = (value: unknown): readonly unknown[] => sortKeyOf(isDocument(value) ? value : {}, spec);
  return (left, right) => compareSortKeys(keyOf(left), keyOf(right), spec);
}

function pullCondition(operand: unknown): (element: unknown) => boolean {
  if (isDocument(operand) && !Object.keys(operand).some((name) => name.startsWith('$'))) {
    const matches = compileFilter(parseFilter(operand));
    return (element) => isDocument(element) && matches(element);
  }
  // A value, a pattern or operators: what one element of an array named `element` would have to satisfy.
  const matches = compileFilter(parseFilter({ element: operand }));
  return (element) => matches({ element });
}

function arrayOrNothing(target: Target, operator: string): readonly unknown[] | undefined {
  const { value } = target;
  if (value === MISSING) return undefined;
  if (!Array.isArray(value))
    throw new CommandError('BadValue', `${operator} needs an array, and the field '${target.name}' is not one`);
  const array: readonly unknown[] = value;
  return array;
}
