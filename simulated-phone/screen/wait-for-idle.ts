import type { Clock } from '../../kit/clock.js';

/** UiAutomation's figures in `uiautomator dump`: quiet for this long, within that long. */
export const QUIET_MS = 1000;
export const IDLE_LIMIT_MS = 10_000;

/** Waits until accessibility was silent for `quietMs`; false when that does not come within `limitMs`. */
export async function waitForIdle(
  clock: Clock,
  lastEventMs: () => number,
  limitMs: number,
  signal?: AbortSignal,
  quietMs = QUIET_MS,
): Promise<boolean> {
  const deadlineMs = clock.monotonicMs() + limitMs;
  for (;;) {
    const nowMs = clock.monotonicMs();
    const leftMs = lastEventMs() + quietMs - nowMs;
    if (leftMs <= 0) return true;
    if (nowMs >= deadlineMs) return false;
    await clock.sleep(Math.min(leftMs, deadlineMs - nowMs), signal);
  }
}
