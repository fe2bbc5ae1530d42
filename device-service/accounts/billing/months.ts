/**
 * Returns the beginning of month `n` (0 is the first) of something that began at `startMs`. The beginning has the same day of the month and
 * time of day in UTC. In a month that is too short for that day, it is on the month's last day. Each month is counted from the beginning,
 * so 31 January is followed by 28 February and then by 31 March.
 */
export function monthStart(startMs: number, n: number): number {
  const start = new Date(startMs);
  const [year, month] = [start.getUTCFullYear(), start.getUTCMonth() + n];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(start.getUTCDate(), lastDay);
  return Date.UTC(year, month, day) + (startMs - Date.UTC(year, start.getUTCMonth(), start.getUTCDate()));
}

/** Returns the number of the month that `nowMs` is in; 0 in the first month, and also before it. */
export function monthNumber(startMs: number, nowMs: number): number {
  const [start, now] = [new Date(startMs), new Date(nowMs)];
  const months = (now.getUTCFullYear() - start.getUTCFullYear()) * 12 + now.getUTCMonth() - start.getUTCMonth();
  return Math.max(0, nowMs < monthStart(startMs, months) ? months - 1 : months);
}
