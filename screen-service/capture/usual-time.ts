/** Measures kept; the middle one of three follows a change at the second measure and ignores a single outlier. */
const KEPT = 3;

/** The usual duration of a piece of work, from its last few runs. */
export class UsualTime {
  readonly #kept: number[] = [];

  add(tookMs: number): void {
    this.#kept.push(tookMs);
    if (this.#kept.length > KEPT) this.#kept.shift();
  }

  /** Undefined before the first measure. */
  get ms(): number | undefined {
    const sorted = [...this.#kept].sort((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) / 2)];
  }
}
