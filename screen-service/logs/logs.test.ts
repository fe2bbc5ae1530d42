import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { LineSplitter } from './line-splitter.js';
import { LogReader } from './read-logs.js';
import { parseThreadtime } from './parse-threadtime.js';
import { localTimes, parsePhoneClock } from './phone-time.js';

const ALL = { level: undefined, tag: undefined, sinceMs: undefined };
const utc = (month: number, day: number, ms: number) => Date.UTC(2026, month - 1, day) + ms;

describe('a log line', () => {
  it('is read in threadtime format', () => {
    expect(parseThreadtime('11-20 18:10:36.123  1234  1240 W ActivityManager: Slow: 3 s', utc)).to.deep.equal({
      timeMs: Date.UTC(2026, 10, 20, 18, 10, 36, 123),
      pid: 1234,
      tid: 1240,
      level: 'W',
      tag: 'ActivityManager',
      message: 'Slow: 3 s',
    });
  });

  it('may have a padded tag, a colon in it, and no message', () => {
    expect(parseThreadtime('11-20 18:10:36.123  1  2 I a:b     : x', utc)).to.include({ tag: 'a:b', message: 'x' });
    expect(parseThreadtime('11-20 18:10:36.123  1  2 E Tag:', utc)).to.include({ tag: 'Tag', message: '' });
  });

  it('that is a separator or nonsense is none', () => {
    for (const line of ['--------- beginning of main', '', 'x'.repeat(99), '11-20 18:10:36.123 1 2 Z a: b'])
      expect(parseThreadtime(line, utc)).to.equal(undefined);
  });
});

describe("the phone's time", () => {
  const now = Date.UTC(2026, 6, 1, 12);

  function local(zone: string, offset: string, at = now, elapsedMs = 0) {
    const clock = parsePhoneClock(`${at / 1000} ${offset}`, zone);
    return localTimes(clock!, () => elapsedMs);
  }

  it('is turned into UTC by its zone, summer time included', () => {
    const toUtc = local('Europe/Paris', '+0200');
    expect(toUtc(6, 30, 12 * 3_600_000)).to.equal(Date.UTC(2026, 5, 30, 10));
    expect(toUtc(1, 15, 12 * 3_600_000)).to.equal(Date.UTC(2026, 0, 15, 11));
  });

  it('is the later instant in the hour that happens twice, unless the phone has not come to it', () => {
    const halfPast = 90 * 60_000;
    for (const [zone, offset, day, first] of [
      ['America/New_York', '-0400', [11, 1], Date.UTC(2026, 10, 1, 5, 30)],
      ['Australia/Lord_Howe', '+1100', [4, 5], Date.UTC(2026, 3, 4, 14, 45)],
      ['Europe/London', '+0100', [10, 25], Date.UTC(2026, 9, 25, 0, 30)],
    ] as const) {
      const [month, date] = day;
      const msOfDay = zone === 'Australia/Lord_Howe' ? halfPast + 15 * 60_000 : halfPast;
      const second = first + (zone === 'Australia/Lord_Howe' ? 30 : 60) * 60_000;
      expect(local(zone, offset, first + 60_000)(month, date, msOfDay), zone).to.equal(first);
      expect(local(zone, offset, second + 60_000)(month, date, msOfDay), zone).to.equal(second);
    }
  });

  it('goes on while the log is followed, over the hour that happens twice and into the next year', () => {
    const first = Date.UTC(2026, 10, 1, 5, 30);
    const followed = local('America/New_York', '-0400', first - 3_600_000, 2 * 3_600_000 + 60_000);
    expect(followed(11, 1, 90 * 60_000)).to.equal(first + 3_600_000);
    const overNewYear = local('UTC', '+0000', Date.UTC(2026, 11, 1), 40 * 86_400_000);
    expect(overNewYear(1, 5, 0)).to.equal(Date.UTC(2027, 0, 5));
    expect(overNewYear(12, 30, 0)).to.equal(Date.UTC(2026, 11, 30));
  });

  it('is turned by its offset where the zone is unknown', () => {
    expect(local('Mars/Olympus', '-0330')(6, 30, 0)).to.equal(Date.UTC(2026, 5, 30, 3, 30));
  });

  it('is of last year when it would else be in the future', () => {
    expect(local('UTC', '+0000', Date.UTC(2026, 0, 1, 1))(12, 31, 0)).to.equal(Date.UTC(2025, 11, 31));
  });
});

describe('the reader of a log', () => {
  const head = '1782907200 +0000\nUTC\n';
  const lines =
    '--------- beginning of main\n07-01 11:00:00.000  1  1 D a: one\r\n07-01 11:00:01.000  1  1 E b: two\n07-01 11:00:02.000  1  1 F b: thr\u00e9e\n';

  it('reads it cut at any place', () => {
    const bytes = Buffer.from(head + lines);
    for (let cut = 1; cut < bytes.length; cut++) {
      const reader = new LogReader(ALL, systemClock);
      const read = [...reader.push(bytes.subarray(0, cut)), ...reader.push(bytes.subarray(cut))];
      expect(read.map(({ line }) => line.message)).to.deep.equal(['one', 'two', 'thr\u00e9e']);
    }
  });

  it('keeps lines that pass level, tag and time', () => {
    const messages = (filter: Partial<typeof ALL> | { level: 'E' } | { tag: string } | { sinceMs: number }) =>
      new LogReader({ ...ALL, ...filter }, systemClock).push(Buffer.from(head + lines)).map(({ line }) => line.message);
    expect(messages({ level: 'E' })).to.deep.equal(['two', 'thr\u00e9e']);
    expect(messages({ tag: 'a' })).to.deep.equal(['one']);
    expect(messages({ sinceMs: Date.UTC(2026, 6, 1, 11, 0, 2) })).to.deep.equal(['thr\u00e9e']);
  });

  it('leaves out the first line, whether it passes or not', () => {
    const read = (filter: Partial<typeof ALL> | { level: 'E' }) =>
      new LogReader({ ...ALL, ...filter }, systemClock, 1)
        .push(Buffer.from(head + lines))
        .map(({ line }) => line.message);
    expect(read({})).to.deep.equal(['two', 'thr\u00e9e']);
    expect(read({ level: 'E' })).to.deep.equal(['two', 'thr\u00e9e']);
  });

  it('cuts a line without end and goes on at the next', () => {
    const splitter = new LineSplitter();
    const long = Array.from({ length: 50 }, () => splitter.push(Buffer.alloc(10_000, 0x78))).flat();
    expect(long.map(({ length }) => length)).to.deep.equal([65_536]);
    expect(splitter.push(Buffer.from('xx\nnext\n'))).to.deep.equal(['', 'next']);
  });
});
