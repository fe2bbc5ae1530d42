/**
 * Counts the work that is under way in this process, by a key such as its account. Some of the work is bounded for each key, or for all.
 */
export class UnderWay {
  readonly #counts = new Map<string, number>();
  #all = 0;

  get all(): number {
    return this.#all;
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  begin(key: string): void {
    this.#add(key, 1);
  }

  /** Must be called once for each `begin`. */
  end(key: string): void {
    this.#add(key, -1);
  }

  /** Counts `work` until it ends. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.begin(key);
    try {
      return await work();
    } finally {
      this.end(key);
    }
  }

  #add(key: string, change: 1 | -1): void {
    this.#all += change;
    const count = this.of(key) + change;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
