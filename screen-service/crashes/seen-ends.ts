/** Most processes whose ends are remembered. */
const MAX_SEEN = 64;

/** The latest facts about processes that have ended or are about to, by pid. The oldest are forgotten first. */
export class SeenEnds<T> {
  readonly #facts = new Map<number, { fact: T; atMs: number }>();
  readonly #keptMs: number;

  /** `keptMs` is how long a fact is good, by the phone's clock: pids are used again. */
  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  note(pid: number, fact: T, atMs: number): void {
    this.#facts.delete(pid);
    this.#facts.set(pid, { fact, atMs });
    for (const oldest of this.#facts.keys()) {
      if (this.#facts.size <= MAX_SEEN) break;
      this.#facts.delete(oldest);
    }
  }

  of(pid: number, nowMs: number): T | undefined {
    const seen = this.#facts.get(pid);
    return seen === undefined || Math.abs(nowMs - seen.atMs) > this.#keptMs ? undefined : seen.fact;
  }

  forget(pid: number): void {
    this.#facts.delete(pid);
  }
}
