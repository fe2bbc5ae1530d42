import type { Clock } from '../../../kit/async/clock.js';
import type { JobDocument } from '../../store/jobs.js';

type Wake = (job?: JobDocument) => void;

/** Requests that wait in this process for the ends of jobs. */
export class JobWaits {
  readonly #waiting = new Map<string, Set<Wake>>();
  readonly #clock: Clock;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether every wait ends at once, because the process is about to end. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Ends the waits for a job that has ended. */
  ended(job: JobDocument): void {
    for (const wake of this.#waiting.get(job._id) ?? []) wake(job);
  }

  /** Ends the waits for a job that has gone on to another process. The callers read it again. */
  left(jobId: string): void {
    for (const wake of this.#waiting.get(jobId) ?? []) wake();
  }

  /** Ends all waits, for good. */
  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting.values()) for (const wake of waiting) wake();
  }

  /**
   * Begins to wait for the end of a job. `ended` resolves with the job when the job ends in this process. It resolves with undefined
   * after `ms`, after a call of `over` (safe at any time), when the signal aborts, or when all waits are closed.
   */
  begin(jobId: string, ms: number, signal: AbortSignal): { ended: Promise<JobDocument | undefined>; over: () => void } {
    let wake: Wake = () => undefined;
    const ended = new Promise<JobDocument | undefined>((resolve) => (wake = resolve));
    if (this.#closed || signal.aborted) wake();
    const others = this.#waiting.get(jobId) ?? new Set();
    this.#waiting.set(jobId, others.add(wake));
    const timer = this.#clock.after(ms, () => wake());
    const over = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', over);
      others.delete(wake);
      if (others.size === 0 && this.#waiting.get(jobId) === others) this.#waiting.delete(jobId);
      wake();
    };
    signal.addEventListener('abort', over, { once: true });
    return { ended, over };
  }
}
