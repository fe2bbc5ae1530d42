import type { Clock } from '../../kit/clock.js';

/** Wakes those who wait for a job that ends in this process. Jobs that end elsewhere are seen by looking again. */
export class JobBell {
  readonly #waiting = new Map<string, Set<() => void>>();

  ring(jobId: string): void {
    for (const wake of this.#waiting.get(jobId) ?? []) wake();
  }

  /** Resolves when the bell rings for the job, after `ms`, or when the signal aborts, whichever comes first. */
  wait(jobId: string, ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', wake);
        const others = this.#waiting.get(jobId);
        others?.delete(wake);
        if (others?.size === 0) this.#waiting.delete(jobId);
        resolve();
      };
      const timer = clock.after(ms, wake);
      signal.addEventListener('abort', wake, { once: true });
      const others = this.#waiting.get(jobId);
      if (others === undefined) this.#waiting.set(jobId, new Set([wake]));
      else others.add(wake);
    });
  }
}
