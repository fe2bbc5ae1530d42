import type { ReplayStep } from './replay.js';

/** Members of a step that are about it, and not for the phone. */
const NOT_SPOKEN: readonly string[] = ['took_ms', 'picture', 'warning'];

/** Returns a step as `POST …/act` takes it: its kind and its expectation. */
export function spokenStep(step: ReplayStep): ReplayStep {
  return Object.fromEntries(Object.entries(step).filter(([name]) => !NOT_SPOKEN.includes(name)));
}

/** Returns the kind of a step, such as `tap`. */
export function kindOf(step: ReplayStep): string {
  return Object.keys(step).find((name) => name !== 'expect' && !NOT_SPOKEN.includes(name)) ?? '';
}
