import type { Clock } from '../../../kit/async/clock.js';
import { databaseUnavailable } from '../../../kit/errors/database-unavailable.js';

/** Pause before another attempt, ms. */
const AGAIN_MS = 1_000;

/** Repeats `work` until the database is available. Any other error is thrown, and the signal's reason when it aborts. */
export async function onceAvailable<T>(clock: Clock, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (databaseUnavailable(error) === undefined) throw error;
      await clock.sleep(AGAIN_MS, signal);
    }
  }
}
