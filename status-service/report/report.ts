import { type ComponentId, components } from '../components.js';
import { type Day, lastDays } from '../history/day.js';
import type { DayCount, History } from '../history/history.js';
import { CHECK_INTERVAL_MS, DAYS_SHOWN, UNOBSERVED_MS } from '../limits.js';

/** `not_checked`: the component cannot be checked, as it is not set up or the check is at fault. `no_data`: there was no check lately. */
export type ComponentStatus = 'ok' | 'problem' | 'not_checked' | 'no_data';

/** The body of `/status.json`. Times are RFC 3339 in UTC; days are days of UTC, such as 2026-11-01. */
export interface StatusReport {
  /** `problem` when any component has one; else `ok` when a check found any component working; else `no_data`. */
  status: 'ok' | 'problem' | 'no_data';
  /** Time of the last round of checks; null before the first. */
  checked_at: string | null;
  /** Checks are made at most once in this time. */
  interval_s: number;
  components: ComponentReport[];
  /** The incidents of the days that are shown, the newest first. */
  incidents: IncidentReport[];
}

export interface ComponentReport {
  id: ComponentId;
  name: string;
  about: string;
  /** The status as of the last check, if that was within the last 15 minutes. */
  status: ComponentStatus;
  /** The fraction of the days' checks that found the component working, 0 to 1, rounded down; null without checks. */
  uptime: number | null;
  /** 90 days, the oldest first; the last one is today. */
  days: DayReport[];
}

export interface DayReport {
  date: Day;
  /** `problem` when a check failed; `no_data` when none was made. */
  status: 'ok' | 'problem' | 'no_data';
  checks: number;
  failed: number;
}

export interface IncidentReport {
  component: ComponentId;
  /** Completes "The REST API …". */
  what: string;
  /** Time of the first failed check. */
  started_at: string;
  /** Time of the check that found the component working again, else of the last failed check; null while the incident goes on. */
  ended_at: string | null;
  duration_s: number;
  state: 'ongoing' | 'resolved' | 'not_observed_further';
}

/** The public view of the history, as of `nowMs`. */
export function report(history: History, nowMs: number): StatusReport {
  const { checkedMs } = history;
  const isFresh = checkedMs !== undefined && Math.abs(nowMs - checkedMs) <= UNOBSERVED_MS;
  const dates = lastDays(nowMs, DAYS_SHOWN);
  const all = components.map((component): ComponentReport => {
    const days = dates.map((date) => dayReport(date, history.days[date]?.[component.id]));
    return { ...component, status: statusOf(history, component.id, isFresh), uptime: uptimeOf(days), days };
  });
  return {
    status: overall(all),
    checked_at: checkedMs === undefined ? null : new Date(checkedMs).toISOString(),
    interval_s: CHECK_INTERVAL_MS / 1000,
    components: all,
    incidents: incidentReports(history, dates, nowMs),
  };
}

function overall(all: readonly ComponentReport[]): StatusReport['status'] {
  if (all.some(({ status }) => status === 'problem')) return 'problem';
  return all.some(({ status }) => status === 'ok') ? 'ok' : 'no_data';
}

function statusOf({ latest }: History, id: ComponentId, isFresh: boolean): ComponentStatus {
  const state = isFresh ? latest[id]?.state : undefined;
  if (state === 'failing') return 'problem';
  return state ?? 'no_data';
}

function dayReport(date: Day, { checks, failed }: DayCount = { checks: 0, failed: 0 }): DayReport {
  const status = checks === 0 ? 'no_data' : failed === 0 ? 'ok' : 'problem';
  return { date, status, checks, failed };
}

function uptimeOf(days: readonly DayReport[]): number | null {
  const checks = days.reduce((sum, day) => sum + day.checks, 0);
  const failed = days.reduce((sum, day) => sum + day.failed, 0);
  return checks === 0 ? null : Math.floor(((checks - failed) / checks) * 100_000) / 100_000;
}

function incidentReports({ incidents }: History, dates: readonly Day[], nowMs: number): IncidentReport[] {
  const [first = ''] = dates;
  const shown = incidents.map(({ component, what, startedMs, end }): IncidentReport => {
    const untilMs = end?.ms ?? nowMs;
    return {
      component,
      what,
      started_at: new Date(startedMs).toISOString(),
      ended_at: end === undefined ? null : new Date(end.ms).toISOString(),
      duration_s: Math.max(0, Math.round((untilMs - startedMs) / 1000)),
      state: end === undefined ? 'ongoing' : end.recovered ? 'resolved' : 'not_observed_further',
    };
  });
  return shown
    .filter(({ ended_at }) => ended_at === null || ended_at.slice(0, 10) >= first)
    .sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
}
