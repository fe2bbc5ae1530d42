import { expect } from 'chai';
import { isTimezone } from '../../record/timezone.js';
import { nextRun } from './next-run.js';

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

describe('the next run of a schedule', () => {
  const next = (time: string, timezone: string, after: string, days = EVERY_DAY): string =>
    new Date(nextRun({ days, time, timezone }, Date.parse(after))).toISOString();

  it('is today when the time is still to come, else on the next of its days', () => {
    expect(next('07:30', 'UTC', '2026-01-15T07:29:59Z')).to.equal('2026-01-15T07:30:00.000Z');
    expect(next('07:30', 'UTC', '2026-01-15T07:30:00Z')).to.equal('2026-01-16T07:30:00.000Z');
    // 2026-01-15 is a Thursday.
    expect(next('07:30', 'UTC', '2026-01-15T07:30:00Z', [4])).to.equal('2026-01-22T07:30:00.000Z');
    expect(next('07:30', 'UTC', '2026-01-15T00:00:00Z', [1, 6])).to.equal('2026-01-17T07:30:00.000Z');
  });

  it('is on the day of the place, not of UTC', () => {
    // Friday 08:00 in Auckland is Thursday 19:00 UTC.
    expect(next('08:00', 'Pacific/Auckland', '2026-01-15T00:00:00Z', [5])).to.equal('2026-01-15T19:00:00.000Z');
    expect(next('20:00', 'America/Los_Angeles', '2026-01-16T00:00:00Z', [4])).to.equal('2026-01-16T04:00:00.000Z');
  });

  it('follows summer time', () => {
    expect(next('07:30', 'Europe/Berlin', '2026-03-28T12:00:00Z')).to.equal('2026-03-29T05:30:00.000Z');
    expect(next('07:30', 'Europe/Berlin', '2026-10-24T12:00:00Z')).to.equal('2026-10-25T06:30:00.000Z');
  });

  it('is later by the hour that the clocks skip', () => {
    // 02:30 does not exist on 2026-03-29 in Berlin; it becomes 03:30 summer time.
    expect(next('02:30', 'Europe/Berlin', '2026-03-28T12:00:00Z')).to.equal('2026-03-29T01:30:00.000Z');
    expect(next('02:30', 'Europe/Berlin', '2026-03-29T01:30:00Z')).to.equal('2026-03-30T00:30:00.000Z');
  });

  it('is the first of two equal times, once', () => {
    // 02:30 comes twice on 2026-10-25 in Berlin: at 00:30 and 01:30 UTC.
    expect(next('02:30', 'Europe/Berlin', '2026-10-24T12:00:00Z')).to.equal('2026-10-25T00:30:00.000Z');
    expect(next('02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z')).to.equal('2026-10-26T01:30:00.000Z');
  });
});

describe('time zones of schedules', () => {
  it('are names of the tz database, not offsets', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Etc/GMT+3']) {
      expect(isTimezone(name), name).to.equal(true);
    }
    for (const name of ['', 'Berlin', '+02:00', 'Europe/Nowhere', '../etc/passwd']) {
      expect(isTimezone(name), name).to.equal(false);
    }
  });
});
