/** How many pieces of work may wait under one key. This bounds the memory that they hold. */
const MAX_WAITING_OF_EACH = 1_000;

/** How many waiting pieces a turn takes at most, including those with nothing left to do. */
const MAX_LOOKED_AT = 1_000;

/**
 * Divides pieces of work among the turns of the event loop. Each turn does a limited number of pieces, one key after the other. So the
 * pieces of one key never wait for all pieces of another. Other work of the process runs between the turns.
 */
export class FairTurns {
  readonly #most: number;
  readonly #waiting = new Map<string, Line>();
  #done = 0;
  #isTurnPlanned = false;

  /** `most`: how many pieces one turn does. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Does `work` at once if this turn has room and nothing waits; otherwise keeps it for a later turn. `work` returns false when nothing was
   * left to do, and then takes no room. Returns false, and drops `work`, when too many pieces of the same key wait.
   */
  add(key: string, work: () => boolean): boolean {
    this.#planTurn();
    if (this.#done < this.#most && this.#waiting.size === 0) {
      if (work()) this.#done++;
      return true;
    }
    const line = this.#waiting.get(key) ?? new Line();
    if (line.length >= MAX_WAITING_OF_EACH) return false;
    line.add(work);
    this.#waiting.set(key, line);
    return true;
  }

  #planTurn(): void {
    if (this.#isTurnPlanned) return;
    this.#isTurnPlanned = true;
    setImmediate(() => {
      this.#isTurnPlanned = false;
      this.#done = 0;
      this.#turn();
    });
  }

  #turn(): void {
    if (this.#waiting.size === 0) return;
    this.#planTurn();
    for (let looked = 0; this.#done < this.#most && looked < MAX_LOOKED_AT; looked++) {
      const next = this.#waiting.entries().next().value;
      if (next === undefined) return;
      const [key, line] = next;
      const work = line.take();
      // The key goes to the end, so that every other key comes first.
      this.#waiting.delete(key);
      if (line.length > 0) this.#waiting.set(key, line);
      if (work?.() === true) this.#done++;
    }
  }
}

/** A queue of pieces. It counts the pieces taken, because removing the first element of an array would move all others. */
class Line {
  #works: (() => boolean)[] = [];
  #taken = 0;

  get length(): number {
    return this.#works.length - this.#taken;
  }

  add(work: () => boolean): void {
    this.#works.push(work);
  }

  take(): (() => boolean) | undefined {
    const work = this.#works[this.#taken++];
    if (this.#taken * 2 < this.#works.length) return work;
    this.#works = this.#works.slice(this.#taken);
    this.#taken = 0;
    return work;
  }
}
