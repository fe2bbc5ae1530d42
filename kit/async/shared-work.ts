import { begunAhead } from './begun-ahead.js';
import { Cancellation, unlessAborted } from './within.js';

/** How a caller waits for shared work. */
export interface SharedWait {
  /** Ends the wait. The work goes on while others wait for it. */
  signal?: AbortSignal | undefined;
  /** Gets the progress, 0 to 100, also what was reached before the caller came. */
  onProgress?: ((percent: number) => void) | undefined;
}

interface Running {
  ended: Promise<void>;
  cancellation: Cancellation;
  waiting: Set<SharedWait>;
  percent: number;
}

/** Does the work of each key once for all who wait for it at the same time. The work is cancelled when the last of them has gone. */
export class SharedWork {
  readonly #running = new Map<string, Running>();

  async join(key: string, wait: SharedWait, work: (options: Required<SharedWait>) => Promise<void>): Promise<void> {
    wait.signal?.throwIfAborted();
    const running = this.#running.get(key) ?? this.#begin(key, work);
    running.waiting.add(wait);
    if (running.percent > 0) wait.onProgress?.(running.percent);
    try {
      await unlessAborted(wait.signal, running.ended);
    } finally {
      running.waiting.delete(wait);
      if (running.waiting.size === 0) this.#end(key, running);
    }
  }

  #begin(key: string, work: (options: Required<SharedWait>) => Promise<void>): Running {
    const cancellation = new Cancellation();
    const waiting = new Set<SharedWait>();
    const onProgress = (percent: number): void => {
      running.percent = percent;
      for (const { onProgress: report } of waiting) report?.(percent);
    };
    // The work begins in a later turn, when `running` is there for its reports.
    const ended = begunAhead(Promise.resolve().then(() => work({ signal: cancellation.signal, onProgress })));
    const running: Running = { ended, cancellation, waiting, percent: 0 };
    this.#running.set(key, running);
    return running;
  }

  /** Whoever comes later begins anew, also while cancelled work is still about to end. */
  #end(key: string, running: Running): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
    running.cancellation.abort(new Error('nobody waits for the work any more'));
  }
}
