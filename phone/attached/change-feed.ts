/** Passes pushed items to all followers, each at its own pace. */
export class ChangeFeed<T> {
  readonly #followers = new Set<(change: T) => void>();

  push(change: T): void {
    for (const follower of this.#followers) follower(change);
  }

  /** Yields the items pushed from the first `next` on, until the signal aborts. */
  async *follow(signal: AbortSignal): AsyncIterable<T> {
    const waiting: T[] = [];
    let wake = (): void => undefined;
    const follower = (change: T): void => {
      waiting.push(change);
      wake();
    };
    const onAbort = (): void => wake();
    signal.addEventListener('abort', onAbort, { once: true });
    this.#followers.add(follower);
    try {
      while (!signal.aborted) {
        if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        yield* waiting.splice(0);
      }
    } finally {
      this.#followers.delete(follower);
      signal.removeEventListener('abort', onAbort);
    }
  }
}
