import { expect } from 'chai';
import type { Outcome } from '../checks/outcome.js';
import type { Outcomes } from '../checks/run-checks.js';
import { CHECK_INTERVAL_MS, DAYS_KEPT, INCIDENTS_KEPT } from '../limits.js';
import { report } from '../report/report.js';
import { emptyHistory, type History, record } from './history.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOON = Date.UTC(2026, 10, 22, 12);

const ok: Outcome = { state: 'ok' };
const failing: Outcome = { state: 'failing', what: 'could not be reached' };
const not: Outcome = { state: 'not_checked' };

/** A round in which only the API differs from ok. */
function round(api: Outcome): Outcomes {
  return { api, live: ok, adb: not };
}

describe('the history of checks', () => {
  let history: History;
  let nowMs: number;
  beforeEach(() => {
    history = emptyHistory();
    nowMs = NOON;
  });

  function rounds(...outcomes: Outcome[]): void {
    for (const outcome of outcomes) {
      record(history, round(outcome), nowMs);
      nowMs += CHECK_INTERVAL_MS;
    }
  }

  function api() {
    return report(history, nowMs).components[0]!;
  }

  it('counts checks by UTC day', () => {
    nowMs = Date.UTC(2026, 10, 22, 23, 52);
    rounds(ok, failing, ok, ok);
    const [yesterday, today] = api().days.slice(-2);
    expect(yesterday).to.deep.equal({ date: '2026-11-22', status: 'problem', checks: 2, failed: 1 });
    expect(today).to.deep.equal({ date: '2026-11-23', status: 'ok', checks: 2, failed: 0 });
    expect(api().uptime).to.equal(0.75);
  });

  it('never shows a part as ok that was not checked', () => {
    rounds(ok, ok);
    const adb = report(history, nowMs).components[2]!;
    expect(adb).to.include({ id: 'adb', status: 'not_checked', uptime: null });
    expect(new Set(adb.days.map(({ status }) => status))).to.deep.equal(new Set(['no_data']));
  });

  it('shows 90 days, today included, of 91 that were checked all the time', () => {
    nowMs = NOON - 90 * DAY_MS;
    rounds(failing);
    while (nowMs <= NOON) rounds(ok);
    const { days, uptime } = api();
    expect(days).to.have.length(90);
    expect([days[0]!.date, days[89]!.date]).to.deep.equal(['2026-08-25', '2026-11-22']);
    expect(new Set(days.slice(0, -1).map(({ checks }) => checks))).to.deep.equal(new Set([288]));
    // The failure was on the day before the first.
    expect(uptime).to.equal(1);
    expect(report(history, nowMs).incidents).to.deep.equal([]);
  });

  it('has an incident from the first failed check to the first good one', () => {
    rounds(ok, failing, failing, failing, ok);
    expect(report(history, nowMs).incidents).to.deep.equal([
      {
        component: 'api',
        what: 'could not be reached',
        started_at: '2026-11-22T12:05:00.000Z',
        ended_at: '2026-11-22T12:20:00.000Z',
        duration_s: 900,
        state: 'resolved',
      },
    ]);
  });

  it('shows an incident that goes on, with its duration until now', () => {
    rounds(failing, failing);
    const { status, incidents } = report(history, nowMs);
    expect(status).to.equal('problem');
    expect(incidents[0]).to.include({ ended_at: null, duration_s: 600, state: 'ongoing' });
  });

  it('ends an incident at its last failed check when no check ran after it, and begins another one', () => {
    rounds(failing, failing);
    nowMs += 2 * 60 * MINUTE_MS;
    rounds(failing, ok);
    const { incidents } = report(history, nowMs);
    expect(incidents.map(({ state, duration_s }) => [state, duration_s])).to.deep.equal([
      ['resolved', 300],
      ['not_observed_further', 300],
    ]);
  });

  it('ends an incident of a part that is no longer checked', () => {
    rounds(failing, not);
    expect(report(history, nowMs).incidents[0]).to.include({ state: 'not_observed_further', duration_s: 0 });
    expect(api().status).to.equal('not_checked');
  });

  it('knows nothing of the present after 15 minutes without a check', () => {
    rounds(ok);
    expect(report(history, NOON + 15 * MINUTE_MS).status).to.equal('ok');
    const later = report(history, NOON + 16 * MINUTE_MS);
    expect([later.status, later.components[0]!.status]).to.deep.equal(['no_data', 'no_data']);
    expect(report(emptyHistory(), NOON)).to.include({ status: 'no_data', checked_at: null });
  });

  it('ends no incident before its beginning when the clock goes back', () => {
    rounds(failing);
    nowMs -= 10 * MINUTE_MS;
    rounds(ok);
    expect(report(history, nowMs).incidents[0]).to.include({ state: 'resolved', duration_s: 0 });
  });

  it('loses no day to a clock that was years ahead for a while', () => {
    for (let day = 0; day < 90; day++) {
      rounds(ok);
      nowMs += DAY_MS - CHECK_INTERVAL_MS;
    }
    const before = report(history, nowMs).components[0]!.days;
    nowMs += 4_000 * DAY_MS;
    rounds(ok, ok);
    expect(api().days.filter(({ checks }) => checks > 0)).to.have.length(1);
    nowMs -= 4_000 * DAY_MS + 2 * CHECK_INTERVAL_MS;
    expect(api().days).to.deep.equal(before);
  });

  it('stays small in every case', () => {
    for (let day = 0; day < 400; day++) {
      rounds(failing, ok);
      nowMs += DAY_MS - 2 * CHECK_INTERVAL_MS;
    }
    expect(Object.keys(history.days)).to.have.length(DAYS_KEPT);
    expect(history.incidents).to.have.length(INCIDENTS_KEPT);
    expect(JSON.stringify(history).length).to.be.below(64 * 1024);
  });
});
