import type { Clock } from './clock.js';

/** Other events that end a wait. A wait never rejects, so the reader must check after it whether `signal` has aborted. */
export interface WaitEnd {
  signal?: AbortSignal | undefined;
  timeout?: { clock: Clock; ms: number } | undefined;
}

/**
 * Wakes readers that wait for work. A reader looks for work in a loop, and waits when there is none. Each wake ends all waits. A wake
 * without a waiting reader is kept and ends the next wait at once. So a single reader may await something between looking and waiting. If
 * there are several readers, each must look and wait in the same turn of the event loop.
 */
export class WakeSignal {
  readonly #waiting = new Set<() => void>();
  #isKept = false;

  wake(): void {
    this.#isKept = this.#waiting.size === 0;
    for (const end of this.#waiting) end();
  }

  /** Resolves at the next wake, when the time is over, or when the signal has aborted. */
  async wait({ signal, timeout }: WaitEnd = {}): Promise<void> {
    if (signal?.aborted === true) return;
    if (this.#isKept) {
      this.#isKept = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const end = (): void => {
        timer?.cancel();
        signal?.removeEventListener('abort', end);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = timeout?.clock.after(timeout.ms, end);
      signal?.addEventListener('abort', end);
      this.#waiting.add(end);
    });
  }
}
