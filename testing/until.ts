import { systemClock } from '../kit/async/clock.js';

/** Waits, in real time, until a condition holds. Throws after `withinMs`. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 150_000): Promise<void> {
  const deadlineMs = systemClock.monotonicMs() + withinMs;
  while (!(await holds())) {
    if (systemClock.monotonicMs() > deadlineMs)
      throw new Error(`this did not become true within ${withinMs} ms: ${holds.toString()}`);
    await systemClock.sleep(5);
  }
}
