import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { type Log, silentLog } from '../../kit/log/log.js';
import type { ReportedCrash } from '../../proto/gen/cloudphone/device/v1/crash_service_pb.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import type { LogLine } from '../logs/log-line.js';
import { CrashReports } from './crash-reports.js';
import { CrashWatch } from './crash-watch.js';
import type { FoundCrash } from './found-crash.js';

const DIED = 'has died: fg  TOP';

/** The lines of a crash of the process `name`, and of its death. */
function crashOf(name: string, timeMs: number, death = DIED): LogLine[] {
  const line = (tag: string, level: 'E' | 'I', message: string): LogLine => ({
    ...{ timeMs, pid: 7, tid: 7, level, tag, message },
  });
  return [
    ...['FATAL EXCEPTION: main', `Process: ${name}, PID: 7`, 'java.lang.Error: x'].map((text) =>
      line('AndroidRuntime', 'E', text),
    ),
    ...(death === '' ? [] : [line('ActivityManager', 'I', `Process ${name} (pid 7) ${death}`)]),
  ];
}

describe('the watch for crashes', () => {
  let clock: FakeClock;
  let reported: FoundCrash[];
  let seen: boolean[];
  let watch: CrashWatch;

  beforeEach(() => {
    clock = new FakeClock();
    reported = [];
    seen = [];
    watch = new CrashWatch({
      clock,
      hide: (text) => text.replaceAll('48213377', '••••'),
      report: async (found) => `crs_${reported.push(found)}`,
      onSeen: (_found, isReported) => seen.push(isReported),
    });
  });
  afterEach(() => {
    watch.close();
    expect(clock.timers).to.equal(0);
  });

  it('reports a crash at the death of its process, or when no more lines of it come', () => {
    watch.push(crashOf('com.example', 0));
    expect(reported).to.have.lengthOf(1);
    watch.push(crashOf('com.other', 0, ''));
    clock.turn(999);
    expect(reported).to.have.lengthOf(1);
    clock.turn(2);
    expect(reported.map(({ process }) => process)).to.deep.equal(['com.example', 'com.other']);
  });

  it('reports one of a process and minute, and of all processes at most 20 of a minute', () => {
    for (let at = 0; at < 10; at++) watch.push(crashOf('com.example', at * 5_000));
    expect(reported).to.have.lengthOf(1);
    watch.push(crashOf('com.example', 60_000));
    expect(reported).to.have.lengthOf(2);
    for (let at = 0; at < 200; at++) watch.push(crashOf(`com.example.p${at}`, 120_000 + at));
    expect(reported).to.have.lengthOf(22);
    watch.push(crashOf('com.example.p150', 180_000));
    expect(reported).to.have.lengthOf(23);
    expect(seen.filter(Boolean)).to.have.lengthOf(23);
  });

  it('reports no more than it has room for, whatever times a phone writes into its log', () => {
    for (let minute = 0; minute < 1_000; minute++) watch.push(crashOf('com.example', minute * 60_000));
    expect(reported).to.have.lengthOf(100);
    clock.turn(60_000);
    for (let minute = 1_000; minute < 2_000; minute++) watch.push(crashOf('com.example', minute * 60_000));
    expect(reported).to.have.lengthOf(120);
    clock.turn(10 * 3_600_000);
    for (let minute = 2_000; minute < 3_000; minute++) watch.push(crashOf('com.example', minute * 60_000));
    expect(reported, 'as a log that is read from its beginning').to.have.lengthOf(220);
  });

  it('shows no secret that was typed into the phone', async () => {
    watch.push(
      crashOf('com.example', 0).map((line) => ({
        ...line,
        message: line.message.replace('Error: x', 'Error: "48213377"'),
      })),
    );
    expect(reported[0]?.reason).to.contain('"••••"');
    expect(reported[0]?.trace).to.contain('"••••"').and.not.to.contain('48213377');
    expect((await watch.crashOf(new Set(['com.example']), 0, 0))?.found.reason).to.contain('"••••"');
  });

  it('returns the crash of an app since a time, with the id of the report of its minute', async () => {
    watch.push(crashOf('com.example', 0));
    clock.turn(10);
    expect(await watch.crashOf(new Set(['com.example']), 5, 5)).to.equal(undefined);
    watch.push(crashOf('com.example', 10));
    const found = await watch.crashOf(new Set(['com.example']), 5, 5);
    expect(await found?.id).to.equal('crs_1');
    expect(found?.found, 'a trace would hold memory').not.to.have.property('trace');
    watch.push(crashOf('com.background', 20, 'has died: cch+5 CEM'));
    expect((await watch.crashOf(new Set(['com.else']), 5, 5))?.found.process, 'known to be in front').to.equal(
      'com.example',
    );
  });

  it('reports a crash of an older line, and returns it to no act that began after it', async () => {
    clock.turn(10_000);
    // The phone's clock has the time 500,000 ms, so this was 8 s ago.
    watch.push(crashOf('com.example', 492_000), 500_000);
    expect(reported).to.have.lengthOf(1);
    expect(watch.hasNewsSince(2_001)).to.equal(false);
    expect(await watch.crashOf(new Set(['com.example']), 2_001, 10_000)).to.equal(undefined);
    expect((await watch.crashOf(new Set(['com.example']), 2_000, 10_000))?.found.package).to.equal('com.example');
    watch.push(crashOf('com.other', 400_000));
    expect(watch.hasNewsSince(10_000), 'a new line, whatever its time').to.equal(true);
  });

  it('waits for a crash that has begun, and for no other', async () => {
    expect(await watch.crashOf(new Set(['com.example']), 0, 5_000)).to.equal(undefined);
    watch.push(crashOf('com.example', 0, ''));
    const waiting = watch.crashOf(new Set(['com.example']), 0, 5_000);
    await settled();
    clock.turn(1_001);
    expect((await waiting)?.found.package).to.equal('com.example');
  });
});

describe('reports of crashes', () => {
  const found = (process: string): FoundCrash => ({
    ...{ kind: 'java', process, package: 'com.example', reason: 'x', trace: 'y', atMs: 1, wasInFront: false },
  });
  const phone = { phoneId: 'ph_1', generation: 1 };

  it('wait while the device service is away, go in their order, and are bounded', async () => {
    const clock = new FakeClock();
    const sent: string[][] = [];
    let isAway = true;
    const send = async (crashes: ReportedCrash[]) => {
      if (isAway) throw new ApiError('unavailable', 'away');
      sent.push(crashes.map(({ process }) => process));
      return { ids: crashes.map(({ process }) => (process === 'p3' ? '' : `crs_${process}`)) };
    };
    const logged: string[] = [];
    const warn = (fields: { crashes?: number }, text: string) => void logged.push(`${fields.crashes ?? ''} ${text}`);
    const reports = new CrashReports({ clock, log: { ...silentLog, warn } as unknown as Log, send });
    const ids = Array.from({ length: 2_000 }, (_, at) => reports.report(phone, found(`p${at}`)));
    const ofOther = reports.report({ phoneId: 'ph_2', generation: 1 }, found('other'));
    for (let second = 0; second < 5; second++) {
      await settled();
      clock.turn(1_000);
    }
    isAway = false;
    await clock.pass(20_000, 500);
    const all = await Promise.all(ids);
    expect(sent.flat()).to.deep.equal([...Array.from({ length: 100 }, (_, at) => `p${at}`), 'other']);
    expect(await ofOther, 'a phone that floods leaves room for others').to.equal('crs_other');
    expect(Math.max(...sent.map(({ length }) => length))).to.equal(20);
    expect([all[0], all[3], all[99], all[100]]).to.deep.equal(['crs_p0', undefined, 'crs_p99', undefined]);
    expect(logged.filter((text) => text.includes('left out'))).to.deep.equal([
      ' crashes of apps are left out, as too many wait',
      '1900 crashes of apps were left out, as too many waited',
    ]);
    await reports.close();
  });

  it('leave out one that is refused, and end without those that were not sent', async () => {
    const clock = new FakeClock();
    const send = async () => {
      throw new ApiError('bad_request', 'no');
    };
    const reports = new CrashReports({ clock, log: silentLog, send });
    expect(await reports.report(phone, found('p'))).to.equal(undefined);
    const stuck = new CrashReports({ clock, log: silentLog, send: () => new Promise(() => undefined) });
    const waiting = stuck.report(phone, found('p'));
    await settled();
    await stuck.close();
    expect(await waiting).to.equal(undefined);
    await reports.close();
  });
});
