import { begunAhead } from './begun-ahead.js';

/** Runs the work of each key one piece at a time, in the order in which it was given. Work of different keys does not wait. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const result = before === undefined ? begunAhead(work()) : before.then(work, work);
    // The next caller waits only until this work has ended. A failure goes to the caller that gave the work, not to the next one.
    const tail = result.catch(() => undefined);
    this.#tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
