import { systemClock } from '../../kit/async/clock.js';

/** How often the service is looked at, ms. A session may send 600 requests in a minute, and several are sent for a look. */
const EVERY_MS = 500;

/** Returns whether a condition comes to hold in time. An error of the look itself is thrown on, as it says nothing about the condition. */
export async function comesToHold(holds: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const untilMs = systemClock.monotonicMs() + withinMs;
  while (!(await holds())) {
    if (systemClock.monotonicMs() >= untilMs) return false;
    await systemClock.sleep(EVERY_MS);
  }
  return true;
}
