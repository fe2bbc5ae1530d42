// Bounds of a replay file. A file may come from a stranger, so all of them hold before anything is run.

/** Longest file, characters. */
export const MAX_FILE_CHARS = 512 * 1024;

/** Most pieces of syntax in a file: keys, values, brackets and line ends are a few each. */
export const MAX_FILE_PIECES = 60_000;

/** Deepest nesting of lists and maps. A step with its target needs six levels. */
export const MAX_FILE_DEPTH = 16;

/** Most steps of a replay. */
export const MAX_REPLAY_STEPS = 500;

/** Most variables of a replay. */
export const MAX_VARIABLES = 50;

/** Longest value of a variable, characters; the longest text that one step can type. */
export const MAX_VALUE_CHARS = 10_000;

/** Longest texts that variables may grow to in one step, characters. */
export const MAX_FILLED_CHARS = 20_000;

/** Longest time that a step is recorded to have taken, ms. */
export const MAX_TOOK_MS = 600_000;

/** Most characters of a wrong value that an error shows. */
export const MAX_SHOWN_CHARS = 60;
