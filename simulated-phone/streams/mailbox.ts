import { WakeSignal } from '../../kit/async/wake-signal.js';

/** Items on their way to one reader, which takes all of them together and waits when there are none. */
export class Mailbox<T> {
  readonly #most: number;
  #waiting: T[] = [];
  #closed = false;
  readonly #news = new WakeSignal();

  /** When more than `most` items wait, the oldest are dropped. */
  constructor(most = Infinity) {
    this.#most = most;
  }

  add(item: T): void {
    if (this.#waiting.length >= this.#most) this.#waiting.shift();
    this.#waiting.push(item);
    this.#news.wake();
  }

  /** Resolves with the items that have come since the last call, at least one; undefined once it is closed and empty. */
  async take(): Promise<T[] | undefined> {
    while (this.#waiting.length === 0 && !this.#closed) await this.#news.wait();
    return this.#waiting.length === 0 ? undefined : this.#waiting.splice(0);
  }

  /** Closes the mailbox: no more items come. */
  close(): void {
    this.#closed = true;
    this.#news.wake();
  }
}
