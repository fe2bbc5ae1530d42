import type { Clock } from '../../kit/clock.js';

/** A wait for a bell. */
export interface BellWait {
  /** Resolves when the bell rings, the time is up, or the wait is over. */
  rung: Promise<void>;
  /** Ends the wait. Safe to call at any time. */
  over: () => void;
}

/** Wakes those who wait for a job that ends in this process. Jobs that end elsewhere are seen by looking again. */
export class JobBell {
  readonly #waiting = new Map<string, Set<() => void>>();
  #closed = false;

  /** Whether nobody waits any more, because the process is about to end. */
  get closed(): boolean {
    return this.#closed;
  }

  ring(jobId: string): void {
    for (const wake of this.#waiting.get(jobId) ?? []) wake();
  }

  /** Wakes everybody, for good. */
  close(): void {
    this.#closed = true;
    for (const jobId of [...this.#waiting.keys()]) this.ring(jobId);
  }

  /** Waits for the job's bell for at most `ms`. */
  wait(jobId: string, ms: number, clock: Clock): BellWait {
    let wake = (): void => undefined;
    const rung = new Promise<void>((resolve) => (wake = resolve));
    const timer = clock.after(ms, wake);
    const others = this.#waiting.get(jobId) ?? new Set();
    this.#waiting.set(jobId, others.add(wake));
    return {
      rung,
      over: () => {
        timer.cancel();
        others.delete(wake);
        if (others.size === 0 && this.#waiting.get(jobId) === others) this.#waiting.delete(jobId);
        wake();
      },
    };
  }
}
