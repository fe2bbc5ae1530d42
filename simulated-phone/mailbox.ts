/** Items on their way to one reader, which takes all of them at once and waits when there are none. */
export class Mailbox<T> {
  readonly #most: number;
  #waiting: T[] = [];
  #closed = false;
  #wake: () => void = () => undefined;

  /** Of more than `most` items that wait, the oldest are dropped. */
  constructor(most = Infinity) {
    this.#most = most;
  }

  add(item: T): void {
    if (this.#waiting.length >= this.#most) this.#waiting.shift();
    this.#waiting.push(item);
    this.#wake();
  }

  /** Resolves with the items that have come since the last call, at least one; undefined once it is closed and empty. */
  async take(): Promise<T[] | undefined> {
    while (this.#waiting.length === 0 && !this.#closed) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#waiting.length === 0 ? undefined : this.#waiting.splice(0);
  }

  /** No more items come. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }
}
