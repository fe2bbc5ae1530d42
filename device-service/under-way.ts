/** Counts the work that is under way in this process, by account: some of it is bounded for each account, or for all. */
export class UnderWay {
  readonly #ofAccount = new Map<string, number>();
  #all = 0;

  get all(): number {
    return this.#all;
  }

  of(accountId: string): number {
    return this.#ofAccount.get(accountId) ?? 0;
  }

  /** Counts `work` until it ends. */
  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    this.#add(accountId, 1);
    try {
      return await work();
    } finally {
      this.#add(accountId, -1);
    }
  }

  #add(accountId: string, change: 1 | -1): void {
    this.#all += change;
    const count = this.of(accountId) + change;
    if (count > 0) this.#ofAccount.set(accountId, count);
    else this.#ofAccount.delete(accountId);
  }
}
