/**
 * The number of measures that are kept. The middle one of three measures ignores a single outlier, and follows a lasting change from its
 * second measure on.
 */
const KEPT = 3;

/** The usual duration of a piece of work, from its last few runs. */
export class UsualTime {
  readonly #kept: number[] = [];

  add(tookMs: number): void {
    this.#kept.push(tookMs);
    if (this.#kept.length > KEPT) this.#kept.shift();
  }

  /** The usual time, ms; undefined before the first measure. */
  get ms(): number | undefined {
    const sorted = [...this.#kept].sort((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) / 2)];
  }
}
