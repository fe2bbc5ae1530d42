/** The first and last day of a period, in UTC, as the API has them. */
export interface Period {
  from: string;
  to: string;
}

export type PeriodName = 'this-month' | 'last-month' | 'last-7-days' | 'custom';

const DAY_MS = 86_400_000;

/** Returns the period that a name means today. */
export function periodOf(name: Exclude<PeriodName, 'custom'>, nowMs: number): Period {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  switch (name) {
    case 'this-month':
      return { from: dayOf(Date.UTC(year, month, 1)), to: dayOf(Date.UTC(year, month + 1, 0)) };
    case 'last-month':
      return { from: dayOf(Date.UTC(year, month - 1, 1)), to: dayOf(Date.UTC(year, month, 0)) };
    case 'last-7-days':
      return { from: dayOf(nowMs - 6 * DAY_MS), to: dayOf(nowMs) };
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
