import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';

/** Pause before the next try, ms; doubled up to the second number. */
const PAUSE_FIRST_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

export interface UntilDoneOptions {
  /** The work, for the log. */
  what: string;
  /** Does the work on a phone. Does nothing where there is nothing to do any more, as the phone is off or gone. */
  work: (phoneId: string) => Promise<void>;
  clock: Clock;
  log: Log;
  /** Ends the tries. */
  signal: AbortSignal;
}

/**
 * Work on phones that failed, and is tried again with pauses until it succeeds. Nothing of it is on the disk: after a crash, the next process
 * finds the same work when it takes the phones over.
 */
export class UntilDone {
  readonly #options: UntilDoneOptions;
  readonly #waiting = new Set<string>();

  constructor(options: UntilDoneOptions) {
    this.#options = options;
  }

  /** Begins to try, after a pause. Does nothing for a phone that is being tried. */
  begin(phoneId: string): void {
    if (this.#waiting.has(phoneId)) return;
    this.#waiting.add(phoneId);
    void this.#try(phoneId).finally(() => this.#waiting.delete(phoneId));
  }

  /** Never throws. */
  async #try(phoneId: string): Promise<void> {
    const { what, work, clock, log, signal } = this.#options;
    for (let pauseMs = PAUSE_FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      await clock.sleep(pauseMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await work(phoneId);
        log.info({ phone: phoneId, what }, 'work on a phone that had failed is done');
        return;
      } catch (error) {
        log.debug({ phone: phoneId, what, err: error }, 'work on a phone failed again; trying again');
      }
    }
  }
}
