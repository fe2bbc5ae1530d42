interface Waiting {
  begin: () => void;
  giveUp: () => void;
}

/**
 * Does a few pieces of work at a time, and takes turns between the addresses that cause the work. Even if much work of one address waits,
 * the next piece of another address begins after the present ones.
 */
export class FairQueue {
  readonly #bounds: { atOnce: number; maxWaiting: number; maxWaitingOfEach: number };
  readonly #waiting = new Map<string, Waiting[]>();
  #waitingCount = 0;
  #running = 0;

  /**
   * `atOnce`: how many pieces of work are under way at the same time. `maxWaiting`: how many may wait, of all addresses together.
   * `maxWaitingOfEach`: how many of one address may wait.
   */
  constructor(bounds: { atOnce: number; maxWaiting: number; maxWaitingOfEach: number }) {
    this.#bounds = bounds;
  }

  /**
   * Does `work` in its turn. Rejects with `full()` when too much work of this address waits already. When too much of all addresses
   * waits, the address with the most work loses its last piece. So a few addresses cannot fill the queue for the others.
   */
  add<T>(address: string, work: () => Promise<T>, full: () => Error): Promise<T> {
    const { atOnce, maxWaiting, maxWaitingOfEach } = this.#bounds;
    if (this.#running < atOnce) return this.#run(work);
    const waiting = this.#waiting.get(address) ?? [];
    if (waiting.length >= maxWaitingOfEach || !this.#makeRoom(waiting.length, maxWaiting))
      return Promise.reject(full());
    this.#waitingCount++;
    return new Promise((resolve, reject) => {
      waiting.push({ begin: () => void this.#run(work).then(resolve, reject), giveUp: () => reject(full()) });
      this.#waiting.set(address, waiting);
    });
  }

  /**
   * Returns whether there is room for one more piece of work. In a full queue, an address that has more than `own + 1` pieces waiting loses
   * one of them.
   */
  #makeRoom(own: number, maxWaiting: number): boolean {
    if (this.#waitingCount < maxWaiting) return true;
    let longest: Waiting[] = [];
    for (const waiting of this.#waiting.values()) if (waiting.length > longest.length) longest = waiting;
    if (longest.length <= own + 1) return false;
    this.#waitingCount--;
    longest.pop()?.giveUp();
    return true;
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#beginNext();
    }
  }

  #beginNext(): void {
    const next = this.#waiting.entries().next().value;
    if (next === undefined) return;
    const [address, waiting] = next;
    const first = waiting.shift();
    // The address goes to the end of the map, so that every other address comes first.
    this.#waiting.delete(address);
    if (waiting.length > 0) this.#waiting.set(address, waiting);
    this.#waitingCount--;
    first?.begin();
  }
}
