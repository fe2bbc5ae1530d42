import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import type { Cleaning } from './slot-records.js';

export interface CleanTimes {
  /** How long `release` waits for the cleaning, ms. The cleaning goes on when this time is over. */
  cleanWaitMs: number;
  /** Pause before a cleaning that failed is tried again, ms. */
  cleanRetryMs: number;
}

export const CLEAN_TIMES: CleanTimes = { cleanWaitMs: 30_000, cleanRetryMs: 60_000 };

export interface CleanerParts {
  /** The cleaning that the phone's record names; undefined: the phone is clean. */
  due: () => Cleaning | undefined;
  /** Tries once to clean the phone. Rejects when the phone is not clean afterwards. */
  clean: (cleaning: Cleaning, signal: AbortSignal) => Promise<void>;
  /** Writes into the record that the phone is clean. */
  done: () => void;
  /** Pause before a cleaning that failed is tried again, ms. */
  retryMs: number;
  clock: Clock;
  log: Log;
}

/**
 * Cleans a phone whose record names a cleaning, and tries again until the phone is clean. A phone that is not clean stays out of use. The
 * record keeps the cleaning until it is done, so a crash does not lose it.
 */
export class Cleaner {
  readonly #parts: CleanerParts;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #endPause: (() => void) | undefined;

  constructor(parts: CleanerParts) {
    this.#parts = parts;
  }

  /** Begins to clean, or ends the pause and tries again at once. Resolves when the phone is clean or the cleaner is closed. */
  run(): Promise<void> {
    this.#endPause?.();
    this.#running ??= begunAhead(
      this.#untilClean().finally(() => {
        this.#running = undefined;
      }),
    );
    return this.#running;
  }

  close(): void {
    this.#closing.abort(new Error('the driver is closing'));
    this.#endPause?.();
  }

  async #untilClean(): Promise<void> {
    const { due, clean, done, log } = this.#parts;
    const { signal } = this.#closing;
    const isClosed = (): boolean => signal.aborted;
    for (let cleaning = due(); cleaning !== undefined && !isClosed(); cleaning = due()) {
      try {
        await clean(cleaning, signal);
        done();
      } catch (error) {
        if (isClosed()) return;
        log.warn({ err: error, phone: cleaning.phoneId }, 'an attached phone is not clean and stays out of use');
        await this.#pause();
      }
    }
  }

  async #pause(): Promise<void> {
    const { clock, retryMs } = this.#parts;
    const early = new AbortController();
    this.#endPause = () => early.abort();
    await clock.sleep(retryMs, early.signal).catch(() => undefined);
    this.#endPause = undefined;
  }
}
