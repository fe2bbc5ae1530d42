/**
 * Shares work between callers who want the same fresh thing at the same time. A caller may only join a run that begins after it
 * asked: one that is under way may have looked at the phone before, and its caller could get what is older than its own question.
 * So a run that waits for its turn is shared by all who come until it begins, and one that has begun cannot be joined.
 */
export class SharedRuns<T> {
  readonly #run: () => Promise<T>;
  readonly #most: number;
  #running = 0;
  #waiting: { promise: Promise<T>; begin: () => void } | undefined;

  /** `most` runs go on at once. */
  constructor(run: () => Promise<T>, most: number) {
    this.#run = run;
    this.#most = most;
  }

  /** A result of a run that begins now or later. */
  next(): Promise<T> {
    if (this.#running < this.#most) return this.#begin();
    if (this.#waiting === undefined) {
      let begin: () => void = () => undefined;
      const promise = new Promise<T>((resolve, reject) => {
        begin = () => void this.#begin().then(resolve, reject);
      });
      this.#waiting = { promise, begin };
    }
    return this.#waiting.promise;
  }

  async #begin(): Promise<T> {
    this.#running++;
    try {
      return await this.#run();
    } finally {
      this.#running--;
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.begin();
    }
  }
}
