import type { Between } from '../tree/what-may-differ.js';

/** Returns what happened between two readings: 5 s in which nobody acted, unless fields are given. */
export function between(fields: Partial<Between> = {}): Between {
  return {
    passedMs: 5_000,
    acted: false,
    own: undefined,
    keyboardMoved: undefined,
    timesS: undefined,
    counting: [],
    ...fields,
  };
}
