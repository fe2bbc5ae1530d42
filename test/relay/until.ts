import { systemClock } from '../../kit/clock.js';

/** Waits, in real time, until a condition holds. */
export async function until(happened: () => boolean | Promise<boolean>, withinMs = 5_000): Promise<void> {
  const deadlineMs = systemClock.monotonicMs() + withinMs;
  while (!(await happened())) {
    if (systemClock.monotonicMs() > deadlineMs)
      throw new Error(`it did not happen within ${withinMs} ms: ${String(happened)}`);
    await systemClock.sleep(5);
  }
}
