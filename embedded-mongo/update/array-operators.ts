import { CommandError, notSupported } from '../values/command-error.js';
import { parseFilter } from '../filter/filter.js';
import { compileFilter } from '../filter/match.js';
import { isDocument, MISSING, type BsonDocument } from '../values/document.js';
import type { Target } from './target.js';
import type { Operator } from './operator.js';

/** Appends the value of `{$push: {a: value}}`, or all values of `{a: {$each, $slice}}`. `$slice` then shortens the array. */
export const push: Operator = (operand) => {
  const { each, slice } = pushOptions(operand);
  return (target) => {
    const array = [...(arrayOrNothing(target, '$push') ?? []), ...each];
    target.set(slice === undefined ? array : slice < 0 ? array.slice(slice) : array.slice(0, slice));
  };
};

/** Removes the elements that are documents and satisfy the operand as a filter. */
export const pull: Operator = (operand) => {
  const [first = ''] = isDocument(operand) ? Object.keys(operand) : [];
  if (!isDocument(operand) || first.startsWith('$'))
    throw notSupported(`$pull of ${first === '' ? 'a value' : first}: only of documents by a filter`);
  const matches = compileFilter(parseFilter(operand));
  return (target) => {
    const array = arrayOrNothing(target, '$pull');
    if (array !== undefined) target.set(array.filter((element) => !isDocument(element) || !matches(element)));
  };
};

function pushOptions(operand: unknown): { readonly each: readonly unknown[]; readonly slice?: number } {
  if (!hasOptions(operand)) return { each: [operand] };
  const { $each, $slice, ...others } = operand;
  const [unknown] = Object.keys(others);
  if (unknown === '$position' || unknown === '$sort') throw notSupported(`${unknown} in $push`);
  if (unknown !== undefined) throw new CommandError('BadValue', `unrecognized clause in $push: ${unknown}`);
  if (!Array.isArray($each)) throw new CommandError('BadValue', '$each must be an array');
  const each: readonly unknown[] = $each;
  if ($slice === undefined) return { each };
  if (typeof $slice !== 'number' || !Number.isInteger($slice))
    throw new CommandError('BadValue', '$slice must be a whole number');
  return { each, slice: $slice };
}

function hasOptions(operand: unknown): operand is BsonDocument {
  return isDocument(operand) && Object.keys(operand).some((name) => name.startsWith('$'));
}

function arrayOrNothing(target: Target, operator: string): readonly unknown[] | undefined {
  const { value } = target;
  if (value === MISSING) return undefined;
  if (!Array.isArray(value))
    throw new CommandError('BadValue', `${operator} needs an array, and the field '${target.name}' is not one`);
  const array: readonly unknown[] = value;
  return array;
}
