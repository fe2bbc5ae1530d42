import { MAX_VARIABLES } from '../format/limits.js';
import type { Variable } from '../format/replay.js';

/** Longest name that is made of the words of a field, characters. */
const MAX_NAME_CHARS = 30;

/** Makes a variable for each text that was not kept. Its name comes from the field that the text was typed into. */
export class VariableNames {
  readonly #names = new Set<string>();

  /** Whether a file can have no further variable. */
  get isFull(): boolean {
    return this.#names.size >= MAX_VARIABLES;
  }

  /** Returns the name of a new variable. `words`: the words of its field. */
  make(words: string | undefined): string {
    const letters = (words ?? '').normalize('NFKD').toLowerCase();
    const own = letters.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^[^a-z]+|_+$/g, '');
    const base = own.slice(0, MAX_NAME_CHARS).replace(/_+$/, '') || 'text';
    let name = base;
    for (let number = 2; this.#names.has(name); number++) name = `${base}_${number}`;
    this.#names.add(name);
    return name;
  }

  /** Returns all variables that were made. Each is secret, as it is not known whether its text may be shown. */
  all(): Record<string, Variable> {
    return Object.fromEntries([...this.#names].map((name) => [name, { secret: true }]));
  }
}
