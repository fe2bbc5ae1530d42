import type { Outcomes } from '../checks/run-checks.js';
import type { Outcome } from '../checks/outcome.js';
import { type ComponentId, components } from '../components.js';
import { DAYS_KEPT, INCIDENTS_KEPT, UNOBSERVED_MS } from '../limits.js';
import { type Day, dayOf } from './day.js';

/** The checks of one component on one day. Checks that were not made are in neither figure. */
export interface DayCount {
  checks: number;
  failed: number;
}

/** A time in which a component failed. */
export interface Incident {
  component: ComponentId;
  /** The fault that the first failed check found. */
  what: string;
  /** Time of the first failed check, ms since the epoch. */
  startedMs: number;
  /** Time of the last failed check. */
  lastFailedMs: number;
  /** Absent: it goes on. */
  end?: {
    ms: number;
    /** Whether a check found the component working again. If not, it was not checked any more. */
    recovered: boolean;
  };
}

/**
 * Everything that is stored, as plain data. Times are of the wall clock, which may have been set between any two of them.
 */
export interface History {
  /** Time of the last round; absent before the first. */
  checkedMs?: number;
  /** The outcomes of the last round. */
  latest: Partial<Outcomes>;
  days: Record<Day, Partial<Record<ComponentId, DayCount>>>;
  /** The oldest first. */
  incidents: Incident[];
}

export const emptyHistory = (): History => ({ latest: {}, days: {}, incidents: [] });

/** Adds a round of checks to the history. */
export function record(history: History, outcomes: Outcomes, atMs: number): void {
  const { checkedMs } = history;
  const wasObserved = checkedMs !== undefined && Math.abs(atMs - checkedMs) <= UNOBSERVED_MS;
  for (const { id } of components) {
    count(history, id, outcomes[id], atMs);
    follow(history, id, outcomes[id], { atMs, wasObserved });
  }
  history.latest = outcomes;
  history.checkedMs = atMs;
  forget(history);
}

function count({ days }: History, id: ComponentId, { state }: Outcome, atMs: number): void {
  if (state === 'not_checked') return;
  const counts = ((days[dayOf(atMs)] ??= {})[id] ??= { checks: 0, failed: 0 });
  counts.checks++;
  if (state === 'failing') counts.failed++;
}

/** Begins, continues or ends an incident. */
function follow(
  { incidents }: History,
  id: ComponentId,
  outcome: Outcome,
  { atMs, wasObserved }: { atMs: number; wasObserved: boolean },
): void {
  const open = incidents.find(({ component, end }) => component === id && end === undefined);
  if (open !== undefined && (!wasObserved || outcome.state === 'not_checked')) {
    open.end = { ms: open.lastFailedMs, recovered: false };
  } else if (open !== undefined && outcome.state === 'ok') {
    // The end is never before the beginning, also when the clock went back meanwhile.
    open.end = { ms: Math.max(atMs, open.lastFailedMs), recovered: true };
  }
  if (outcome.state !== 'failing') return;
  if (open === undefined || open.end !== undefined) {
    incidents.push({ component: id, what: outcome.what, startedMs: atMs, lastFailedMs: atMs });
  } else {
    open.lastFailedMs = Math.max(open.lastFailedMs, atMs);
  }
}

/** Removes the oldest entries beyond a number. Age does not count, as a clock that is wrong for a moment would make everything look old. */
function forget(history: History): void {
  const tooMany = Object.keys(history.days).sort().slice(0, -DAYS_KEPT);
  if (tooMany.length > 0) {
    history.days = Object.fromEntries(Object.entries(history.days).filter(([day]) => !tooMany.includes(day)));
  }
  history.incidents.splice(0, history.incidents.length - INCIDENTS_KEPT);
}
