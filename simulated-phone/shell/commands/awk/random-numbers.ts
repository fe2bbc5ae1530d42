/** Makes the numbers of `rand`. They are the same in each run, until `srand` changes the seed. */
export class RandomNumbers {
  #seed = 1;
  #state = 1;

  /** Sets the seed. Returns the one before. */
  seed(seed: number): number {
    const before = this.#seed;
    this.#seed = seed;
    this.#state = Math.trunc(seed) | 0;
    return before;
  }

  /** Returns the next number, 0 <= n < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
