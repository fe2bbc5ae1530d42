import type { RunningMinutes } from '../store/device-document.js';

const MINUTE_MS = 60_000;

/**
 * Returns a count of no minutes. Begun minutes of running are counted by the UTC clock, so each minute is counted at most once. A phone
 * that runs from 10:00:59 to 10:01:01 ran in two minutes. A phone that is restarted ten times within a minute ran in one.
 */
export function noMinutes(nowMs: number): RunningMinutes {
  return { day: dayOf(nowMs), count: 0, through: 0 };
}

/** Returns `counted` with the run from `startedMs` to `endMs` added, for the day of `endMs`. */
export function addRun(counted: RunningMinutes, startedMs: number, endMs: number): RunningMinutes {
  const day = dayOf(endMs);
  const firstOfDay = Math.floor(Date.parse(`${day}T00:00:00Z`) / MINUTE_MS);
  const last = Math.floor(endMs / MINUTE_MS);
  const first = Math.max(Math.floor(startedMs / MINUTE_MS), firstOfDay, counted.through + 1);
  const before = counted.day === day ? counted.count : 0;
  return { day, count: before + Math.max(0, last - first + 1), through: Math.max(counted.through, last) };
}

/** Returns the minutes counted today, including the present run. */
export function minutesToday(counted: RunningMinutes, startedMs: number | undefined, nowMs: number): number {
  if (startedMs !== undefined) return addRun(counted, startedMs, nowMs).count;
  return counted.day === dayOf(nowMs) ? counted.count : 0;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
