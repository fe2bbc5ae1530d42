import type { Invocation } from '../command/command.js';
import { readInput } from '../output/read-input.js';
import { UsageError } from '../output/usage-error.js';
import type { Step } from '../service/types.js';
import { performSteps } from './act.js';

export const tap = {
  run: (invocation: Invocation): Promise<number> => {
    const { words, options } = invocation;
    const target = targetOf(words.slice(1), 'tap');
    const step = options.flag('long')
      ? { long_press: target }
      : options.flag('double')
        ? { double_tap: target }
        : { tap: target };
    return performSteps(invocation, [step]);
  },
};

export const type = {
  run: async (invocation: Invocation): Promise<number> => {
    const { words, options, terminal, signal } = invocation;
    const [, given = ''] = words;
    // Other users of a machine see the words of a command, so secrets come by standard input.
    const text = given === '-' ? (await readInput(terminal.input, signal)).replace(/\n$/, '') : given;
    const into = options.text('into');
    const typed = {
      text,
      ...(into !== undefined && { target: targetOf([into], 'type') }),
      ...(options.flag('clear') && { clear: true }),
      ...(options.flag('submit') && { submit: true }),
      ...(options.flag('secret') && { secret: true }),
    };
    return performSteps(invocation, [{ type: typed }]);
  },
};

export const swipe = {
  run: (invocation: Invocation): Promise<number> => {
    const [, ...way] = invocation.words;
    const duration = invocation.options.number('duration-ms', { min: 1, max: 10_000 });
    const timed = duration === undefined ? {} : { duration_ms: duration };
    const [direction = ''] = way;
    if (way.length === 1 && isDirection(direction))
      return performSteps(invocation, [{ swipe: { direction, ...timed } }]);
    const [x1, y1, x2, y2] = way.map((word) => pixelOf(word, 'swipe'));
    if (way.length !== 4 || x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined)
      throw new UsageError('swipe: give up, down, left or right, or X1 Y1 X2 Y2.');
    return performSteps(invocation, [{ swipe: { from: { x: x1, y: y1 }, to: { x: x2, y: y2 }, ...timed } }]);
  },
};

export const key = {
  run: (invocation: Invocation): Promise<number> => {
    const [, ...names] = invocation.words;
    return performSteps(
      invocation,
      names.map((name) => ({ key: name.includes('+') ? { names: name.split('+') } : { name } })),
    );
  },
};

/** Returns the target of words: a text, an element's id, or two numbers of pixels. */
function targetOf(words: readonly string[], command: string): NonNullable<Step['tap']> {
  const [first = '', second] = words;
  if (words.length === 2 && second !== undefined) return { x: pixelOf(first, command), y: pixelOf(second, command) };
  if (words.length !== 1)
    throw new UsageError(`${command}: give a TEXT in quotes, an element's id such as e7, or X Y.`);
  return /^e\d+$/.test(first) ? { element: first } : { text: first };
}

function pixelOf(word: string, command: string): number {
  if (!/^\d{1,5}$/.test(word)) throw new UsageError(`${command}: "${word}" is not a number of pixels.`);
  return Number(word);
}

function isDirection(word: string): word is 'up' | 'down' | 'left' | 'right' {
  return ['up', 'down', 'left', 'right'].includes(word);
}
