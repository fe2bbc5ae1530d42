import { CommandError, notSupported } from '../values/command-error.js';
import { MISSING } from '../values/document.js';
import { pull, push } from './array-operators.js';
import type { Operator } from './operator.js';

export function operatorNamed(name: string): Operator {
  const operator = OPERATORS.get(name);
  if (operator !== undefined) return operator;
  throw KNOWN_ELSEWHERE.has(name)
    ? notSupported(`the update operator ${name}`)
    : new CommandError('FailedToParse', `unknown modifier: ${name}`);
}

const set: Operator = (operand) => (target) => target.set(operand);

const setOnInsert: Operator =
  (operand) =>
  (target, { inserting }) => {
    if (inserting) target.set(operand);
  };

const unset: Operator = () => (target) => target.unset();

/** A missing field counts as 0. */
const inc: Operator = (operand) => {
  if (typeof operand !== 'number') throw new CommandError('TypeMismatch', '$inc needs a number');
  return (target) => {
    const current = target.value === MISSING ? 0 : target.value;
    if (typeof current !== 'number')
      throw new CommandError('TypeMismatch', `cannot apply $inc to '${target.name}', which is not a number`);
    const result = current + operand;
    // MongoDB would store the result as a 64-bit integer, which the portable subset excludes; a rounded result would be wrong.
    if (Number.isInteger(current) && Number.isInteger(operand) && !Number.isSafeInteger(result))
      throw new CommandError('BadValue', `$inc on '${target.name}' leaves the range of exact integers`);
    target.set(result);
  };
};

const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  Object.entries({ $set: set, $setOnInsert: setOnInsert, $unset: unset, $inc: inc, $push: push, $pull: pull }),
);

/** Operators that MongoDB has and this server lacks. Their refusal says "not supported", and that of any other name says "unknown". */
const KNOWN_ELSEWHERE = new Set([
  '$mul',
  '$min',
  '$max',
  '$currentDate',
  '$addToSet',
  '$pullAll',
  '$pop',
  '$rename',
  '$bit',
]);
