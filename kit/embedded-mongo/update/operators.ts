import { CommandError, notSupported } from '../command-error.js';
import { isDocument, MISSING } from '../values/document.js';
import { compareValues } from '../values/order.js';
import { addToSet, pop, pull, pullAll, push } from './array-operators.js';
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

const inc: Operator = arithmetic('$inc', 0, (current, operand) => current + operand);

const mul: Operator = arithmetic('$mul', 0, (current, operand) => current * operand);

const min: Operator = (operand) => (target) => {
  const { value } = target;
  if (value === MISSING || compareValues(operand, value) < 0) target.set(operand);
};

const max: Operator = (operand) => (target) => {
  const { value } = target;
  if (value === MISSING || compareValues(operand, value) > 0) target.set(operand);
};

const currentDate: Operator = (operand) => {
  const asDate = operand === true || (isDocument(operand) && operand['$type'] === 'date');
  if (!asDate) throw notSupported('$currentDate other than true or {$type: "date"}');
  return (target, { now }) => target.set(now);
};

/** @param missing the value a missing field counts as */
function arithmetic(name: string, missing: number, compute: (current: number, operand: number) => number): Operator {
  return (operand) => {
    if (typeof operand !== 'number') throw new CommandError('TypeMismatch', `${name} needs a number`);
    return (target) => {
      const { value } = target;
      const current = value === MISSING ? missing : value;
      if (typeof current !== 'number')
        throw new CommandError('TypeMismatch', `cannot apply ${name} to '${target.name}', which is not a number`);
      const result = compute(current, operand);
      // MongoDB would turn to 64-bit integers, which are outside of the portable subset; a rounded result would be a lie.
      if (Number.isInteger(current) && Number.isInteger(operand) && !Number.isSafeInteger(result))
        throw new CommandError('BadValue', `${name} on '${target.name}' leaves the range of exact integers`);
      target.set(result);
    };
  };
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  Object.entries({
    $set: set,
    $setOnInsert: setOnInsert,
    $unset: unset,
    $inc: inc,
    $mul: mul,
    $min: min,
    $max: max,
    $currentDate: currentDate,
    $push: push,
    $addToSet: addToSet,
    $pull: pull,
    $pullAll: pullAll,
    $pop: pop,
  }),
);

const KNOWN_ELSEWHERE = new Set(['$rename', '$bit']);
