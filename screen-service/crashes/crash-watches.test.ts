import { connect } from 'node:net';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { silentLog } from '../../kit/log/log.js';
import type { ReportedCrash } from '../../proto/gen/cloudphone/device/v1/crash_service_pb.js';
import { systemClock } from '../../kit/async/clock.js';
import { type FakeAdbd, FAKE_IDENTITY, startFakeAdbd } from '../../testing/phone/fake-adbd.js';
import { until } from '../../testing/until.js';
import { screenLimits } from '../limits.js';
import { screenMetrics } from '../link/metrics.js';
import { SharedLogs } from '../logs/shared-logs.js';
import { CRASH_TAGS } from './crash-lines.js';
import { CrashReports } from './crash-reports.js';
import { CrashWatches } from './crash-watches.js';
import { crashMetrics } from './metrics.js';

const CRASH = [
  ...['FATAL EXCEPTION: main', 'Process: com.example, PID: 7', 'java.lang.Error: x'].map(
    (text) => `11-14 22:03:20.000  7  7 E AndroidRuntime: ${text}\n`,
  ),
  '11-14 22:03:20.100  1  1 I ActivityManager: Process com.example (pid 7) has died: fg  TOP\n',
].join('');

describe('the watches of phones', () => {
  let adbd: FakeAdbd;
  let watches: CrashWatches;
  let logs: SharedLogs;
  const secretOf = new Map<string, string>();
  let reported: ReportedCrash[];
  let reports: CrashReports;

  beforeEach(async () => {
    // A phone whose app crashed 10 minutes ago.
    adbd = await startFakeAdbd(async (stream) => {
      const agoS = Number(/%s\)-(\d+)\)/.exec(stream.service)?.[1]);
      await stream.write(Buffer.from(`1700000000 +0000\nEtc/UTC\n${agoS >= 600 ? CRASH : ''}`));
    });
    reported = [];
    const clock = systemClock;
    const hide = (of: { phoneId: string }, text: string) => text.replaceAll(secretOf.get(of.phoneId) ?? '\0', '••••');
    secretOf.clear();
    const metrics = new Registry();
    const parts = {
      ...{ clock, log: silentLog, limits: screenLimits, report: () => undefined },
      metrics: screenMetrics({ metrics, clock, sessions: () => 1 }),
      connectSocket: (host: string, port: number) => connect({ host, port }),
    };
    logs = new SharedLogs(parts, CRASH_TAGS);
    const send = async (crashes: ReportedCrash[]) => {
      reported.push(...crashes);
      return { ids: crashes.map(({ process }) => `crs_${process}`) };
    };
    reports = new CrashReports({ clock, log: silentLog, send });
    watches = new CrashWatches({ clock, logs, hide, reports, metrics: crashMetrics(metrics, () => watches.size) });
  });
  afterEach(async () => {
    watches.close();
    await reports.close();
    await logs.close();
    await adbd.disconnected();
    await adbd.close();
  });

  const phone = () => ({
    ...{ name: 'demo', phoneId: 'ph_1', generation: 1, identity: FAKE_IDENTITY, host: '127.0.0.1', port: adbd.port },
    screen: { width: 720, height: 1280, density: 320 },
  });
  const logcats = (): number => adbd.opened.filter((service) => service.includes('logcat')).length;

  it('find what crashed before a phone was in use, once it is known to run here, and warn no act of it', async () => {
    const { watch, release } = watches.hold(phone());
    await until(() => logcats() === 1);
    const beganMs = systemClock.monotonicMs();
    watches.watchHost([{ phone: phone(), uptimeS: 900 }]);
    await until(() => reported.length === 1);
    expect(reported[0]?.process).to.equal('com.example');
    expect(watch.hasNewsSince(beganMs)).to.equal(false);
    expect(logcats()).to.equal(2);
    watches.watchHost([{ phone: phone(), uptimeS: 902 }]);
    expect(watches.size).to.equal(1);
    release();
    expect(watches.size, 'the phone still runs here').to.equal(1);
    watches.watchHost([]);
    expect(watches.size).to.equal(0);
    await adbd.disconnected();
    expect(logcats()).to.equal(2);
  });

  it('report no secret that was typed into the phone', async () => {
    secretOf.set('ph_1', 'lang.Error');
    watches.watchHost([{ phone: phone(), uptimeS: 900 }]);
    await until(() => reported.length === 1);
    expect(reported[0]?.reason).not.to.contain('lang.Error');
    expect(reported[0]?.trace).to.contain('FATAL EXCEPTION').and.not.to.contain('lang.Error');
    watches.watchHost([]);
  });
});
