import type { Clock, Timer } from '../../kit/clock.js';
import type { UnfiledJob } from './job-filer.js';

/** A wait for a bell. */
export interface BellWait {
  /** Resolves with the finished job when its bell rings; with nothing when the time is up, or the wait is over. */
  rung: Promise<UnfiledJob | undefined>;
  /** Ends the wait. Safe to call at any time. */
  over: () => void;
}

type Wake = (job?: UnfiledJob) => void;

/** Wakes those who wait for a job that ends in this process, and tells them how it ended. Jobs that end elsewhere are seen by looking again. */
export class JobBell {
  readonly #waiting = new Map<string, Set<Wake>>();
  #closed = false;

  /** Whether nobody waits any more, because the process is about to end. */
  get closed(): boolean {
    return this.#closed;
  }

  ring(job: UnfiledJob): void {
    for (const wake of this.#waiting.get(job._id) ?? []) wake(job);
  }

  /** Wakes everybody, for good. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting.values()) for (const wake of waiting) wake();
  }

  /** Waits for the job's bell for at most `ms`. */
  wait(jobId: string, ms: number, clock: Clock): BellWait {
    let wake: Wake = () => undefined;
    const rung = new Promise<UnfiledJob | undefined>((resolve) => (wake = resolve));
    const timer: Timer = clock.after(ms, () => wake());
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
