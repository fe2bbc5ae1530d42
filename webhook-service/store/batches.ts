/**
 * Combines concurrent writes of many callers. While `maxBatches` batches are under way, arriving items wait for the next one. A caller that
 * is alone does not wait for a batch.
 */
export class Batches<Item, Outcome> {
  readonly #options: BatchesOptions<Item, Outcome>;
  #waiting: Waiting<Item, Outcome>[] = [];
  #underWay = 0;
  #planned = false;

  constructor(options: BatchesOptions<Item, Outcome>) {
    this.#options = options;
  }

  /** Returns the item's own outcome; fails when its batch fails. */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#plan();
    });
  }

  /**
   * Begins a batch after the present turn of the event loop. So the batch includes all items added in that turn, also from callers whose
   * last item has just been written.
   */
  #plan(): void {
    if (this.#planned || this.#waiting.length === 0 || this.#underWay === this.#options.maxBatches) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      this.#begin();
    });
  }

  #begin(): void {
    while (this.#waiting.length > 0 && this.#underWay < this.#options.maxBatches) {
      const batch = this.#cut();
      this.#underWay++;
      this.#options
        .run(batch.map(({ item }) => item))
        .then(
          (outcomes) => batch.forEach(({ resolve, reject }, at) => settle(outcomes[at], resolve, reject)),
          (error: unknown) => batch.forEach(({ reject }) => reject(error)),
        )
        .finally(() => {
          this.#underWay--;
          this.#plan();
        });
    }
  }

  #cut(): Waiting<Item, Outcome>[] {
    const { maxItems, maxBytes, bytesOf } = this.#options;
    let bytes = 0;
    let count = 0;
    for (const { item } of this.#waiting) {
      bytes += bytesOf(item);
      if (count === maxItems || (count > 0 && bytes > maxBytes)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}

export interface BatchesOptions<Item, Outcome> {
  /** Writes the items and returns an outcome for each; an Error is that item's failure. */
  run: (items: Item[]) => Promise<(Outcome | Error)[]>;
  maxItems: number;
  maxBytes: number;
  bytesOf: (item: Item) => number;
  /** Batches under way at a time. */
  maxBatches: number;
}

interface Waiting<Item, Outcome> {
  item: Item;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

function settle<Outcome>(
  outcome: Outcome | Error | undefined,
  resolve: (outcome: Outcome) => void,
  reject: (error: unknown) => void,
): void {
  if (outcome instanceof Error) reject(outcome);
  else if (outcome === undefined) reject(new Error('a batch returned too few outcomes'));
  else resolve(outcome);
}
