import type { Clock } from '../../kit/async/clock.js';

/** Times of UiAutomation in `uiautomator dump`, ms: how long the screen must be quiet, and how long the dump waits for that. */
export const QUIET_MS = 1000;
export const IDLE_LIMIT_MS = 10_000;

/** Waits until accessibility sent no event for `quietMs`. Returns false when `limitMs` is over before that. */
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
