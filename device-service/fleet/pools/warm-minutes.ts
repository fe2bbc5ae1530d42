import type { DeviceDocument } from '../../store/devices.js';

const MINUTE_MS = 60_000;

/** Returns the UTC day of a time, such as 2026-11-20. */
export function warmDay(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

/** Returns the begun minutes of today (UTC) in which the phone of a pool was ready and free until now. */
export function warmMinutes({ pool }: DeviceDocument, nowMs: number): number {
  const sinceMs = pool?.readySince?.getTime();
  if (sinceMs === undefined) return 0;
  const fromMs = Math.max(sinceMs, Date.parse(`${warmDay(nowMs)}T00:00:00Z`));
  return Math.floor(nowMs / MINUTE_MS) - Math.floor(fromMs / MINUTE_MS) + 1;
}
