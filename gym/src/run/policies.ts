import { seededRandom } from '../random.js';
import type { Action, BoundTask, Observation, Script } from '../task.js';

/** Decides the next action by what is seen. */
export type Decide = (seen: Observation) => Action;

/** Makes the decisions of one episode. */
export type Policy = (task: BoundTask, seed: number) => Decide;

const DONE: Action = { answer: { text: 'done' } };

/** Does what the script of the task says, and answers at its end. */
const scripted: Policy = (task) => {
  const script = iteratorOf(task.policy());
  let isFirst = true;
  return (seen) => {
    // The first call of a generator has no place that could take a value.
    const next = isFirst ? script.next() : script.next(seen);
    isFirst = false;
    return next.done === true ? DONE : next.value;
  };
};

/** Taps an element by chance, at each step. */
const random: Policy = (task, seed) => {
  const chance = seededRandom(seed, `random/${task.id}`);
  return ({ text }) => {
    const places = [...text.matchAll(/ @(\d+),(\d+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
    if (places.length === 0) return { key: { name: 'back' } };
    return { tap: chance.pick(places) };
  };
};

/** Says at once that it is done. */
const idle: Policy = () => () => DONE;

export const POLICIES: Readonly<Record<string, Policy>> = { scripted, random, idle };

function iteratorOf(script: Script): Iterator<Action, unknown, Observation> {
  return script[Symbol.iterator]();
}
