import { systemClock } from '../kit/async/clock.js';

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Waits until the next period of UTC where this one ends within `leastMs`. It is for tests of what changes with the minute, such as the time
 * in a status bar, or with the day.
 */
export async function awayFromEnd(periodMs: number, leastMs: number): Promise<void> {
  const leftMs = periodMs - (systemClock.now() % periodMs);
  // A timer may be early by a millisecond.
  if (leftMs < leastMs) await systemClock.sleep(leftMs + 10);
}
