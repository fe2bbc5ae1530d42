const DAY_MS = 86_400_000;

/** A day of the UTC calendar, `2026-11-22`. Days that are sorted as texts are in the order of time. */
export type Day = string;

export function dayOf(ms: number): Day {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The last `count` days, the oldest first; the last one is that of `nowMs`. */
export function lastDays(nowMs: number, count: number): Day[] {
  return Array.from({ length: count }, (_, index) => dayOf(nowMs - (count - 1 - index) * DAY_MS));
}
