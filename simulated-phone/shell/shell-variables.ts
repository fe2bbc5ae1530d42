import type { Reservation } from '../memory/memory-budget.js';

/** The variables of one shell, paid for from its memory. `set` throws OutOfMemory. */
export class ShellVariables extends Map<string, string> {
  readonly #memory: Reservation;

  constructor(memory: Reservation, variables: Iterable<readonly [string, string]>) {
    super();
    this.#memory = memory;
    for (const [name, value] of variables) this.set(name, value);
  }

  override set(name: string, value: string): this {
    this.#memory.grow(cost(name, value));
    const before = this.get(name);
    if (before !== undefined) this.#memory.shrink(cost(name, before));
    return super.set(name, value);
  }

  override delete(name: string): boolean {
    const before = this.get(name);
    if (before !== undefined) this.#memory.shrink(cost(name, before));
    return super.delete(name);
  }
}

/** Two bytes for each character, and the entry. */
function cost(name: string, value: string): number {
  return 2 * (name.length + value.length) + 64;
}
