/**
 * Counts the work of a search for secrets, in characters that are looked at, and stops it at a bound.
 *
 * Texts come from apps, and may be made to hold up the process. A count of characters sets the same bound on every machine.
 */
export class SearchWork {
  readonly #most: number;
  #done = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Notes work that is about to be done. Returns false when the work exceeds the bound. The caller must then do neither this work nor any
   * later work.
   */
  spend(characters: number): boolean {
    this.#done += characters;
    return !this.isOver;
  }

  get isOver(): boolean {
    return this.#done > this.#most;
  }

  /** The work that was noted so far, including the work that was refused. */
  get done(): number {
    return this.#done;
  }
}
