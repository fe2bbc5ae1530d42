/**
 * Month `n` (0 is the first) of something that began at `startMs`: the same day of the month and time of day in UTC, or the last day
 * of a month that is too short for it. Counted from the beginning each time, so that 31 January is followed by 28 February and then
 * by 31 March.
 */
export function monthStart(startMs: number, n: number): number {
  const start = new Date(startMs);
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + n];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(start.getUTCDate(), lastDay);
  return Date.UTC(year, month, day) + (startMs - Date.UTC(year, start.getUTCMonth(), start.getUTCDate()));
}

/** Which month it is at `nowMs`; 0 in the first, also before it. */
export function monthNumber(startMs: number, nowMs: number): number {
  const [start, now] = [new Date(startMs), new Date(nowMs)];
  const months = (now.getUTCFullYear() - start.getUTCFullYear()) * 12 + now.getUTCMonth() - start.getUTCMonth();
  return Math.max(0, nowMs < monthStart(startMs, months) ? months - 1 : months);
}
