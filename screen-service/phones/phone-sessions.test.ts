import { openTestCall } from '../../testing/open-test-call.js';
import { connect } from 'node:net';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { FakeClock } from '../../testing/fake-clock.js';
import { silentLog } from '../../kit/log/log.js';
import { FAKE_IDENTITY, say, startFakeAdbd } from '../../testing/phone/fake-adbd.js';
import { SharedLogs } from '../logs/shared-logs.js';
import { SecretsOfPhones } from '../secrets/secrets-of-phones.js';
import { screenLimits } from '../limits.js';
import { screenMetrics } from '../link/metrics.js';
import { PhoneSessions } from './phone-sessions.js';
import type { LocatedPhone } from '../link/reached-phone.js';

const phone = (phoneId: string, fields: Partial<LocatedPhone> = {}): LocatedPhone => ({
  name: 'phone',
  phoneId,
  generation: 1,
  identity: 's/1',
  host: '127.0.0.1',
  port: 1,
  screen: { width: 720, height: 1280, density: 320 },
  ...fields,
});

describe('phone sessions', () => {
  let clock: FakeClock;
  let sessions: PhoneSessions;

  beforeEach(() => {
    clock = new FakeClock();
    const parts = {
      clock,
      log: silentLog,
      metrics: screenMetrics({ metrics: new Registry(), clock, sessions: () => sessions.size }),
      connectSocket: (host: string, port: number) => connect({ host, port }),
      limits: { ...screenLimits, idleMs: 60_000, maxPhones: 3 },
      report: () => undefined,
    };
    sessions = new PhoneSessions({
      ...parts,
      logs: new SharedLogs(parts, []),
      secrets: new SecretsOfPhones(clock),
      scrcpyFile: undefined,
    });
  });

  it('are kept while they are used, and closed when they are not', () => {
    const first = sessions.of(phone('a'));
    for (let minute = 0; minute < 5; minute++) {
      clock.turn(40_000);
      expect(sessions.of(phone('a'))).to.equal(first);
    }
    clock.turn(120_000);
    expect(sessions.size).to.equal(0);
    expect(clock.timers).to.equal(0);
  });

  it('are new for a phone that was started anew or moved', () => {
    const first = sessions.of(phone('a'));
    expect(sessions.of(phone('a', { generation: 2 }))).not.to.equal(first);
    const second = sessions.of(phone('a', { generation: 2 }));
    expect(sessions.of(phone('a', { generation: 2, identity: 's/2' }))).not.to.equal(second);
    expect(sessions.of(phone('a', { generation: 2, port: 2 }))).not.to.equal(second);
    expect(sessions.size).to.equal(1);
  });

  it('are bounded, the longest unused go first', () => {
    const [first, second] = [sessions.of(phone('a')), sessions.of(phone('b'))];
    sessions.of(phone('c'));
    sessions.of(phone('a'));
    sessions.of(phone('d'));
    expect(sessions.size).to.equal(3);
    expect(sessions.of(phone('a'))).to.equal(first);
    expect(sessions.of(phone('b'))).not.to.equal(second);
  });

  it('stay when a location arrives late that was read before the phone was started anew', () => {
    const newer = sessions.of(phone('a', { generation: 2, identity: 's/2', port: 2 }));
    expect(sessions.of(phone('a'))).to.equal(newer);
    expect(sessions.of(phone('a', { generation: 2, identity: 's/2', port: 2 }))).to.equal(newer);
  });

  it('can be used when all others are busy, and commands of those that are closed for it end', async () => {
    const adbds = await Promise.all(
      Array.from({ length: 5 }, () =>
        startFakeAdbd(async (stream) => {
          if (stream.service.includes('slow')) await new Promise((resolve) => setTimeout(resolve, 200));
          await say(stream, 'done');
        }),
      ),
    );
    const held = adbds.map(({ port }, at) => sessions.of(phone(`p${at}`, { port, identity: FAKE_IDENTITY })));
    const outputs = held.map(async (phoneSession) =>
      (await phoneSession.command(openTestCall(), 'slow', 'wait')).stdout.toString(),
    );
    expect(await Promise.all(outputs)).to.deep.equal(adbds.map(() => 'done'));
    const again = held.map(async (phoneSession) =>
      (await phoneSession.command(openTestCall(), 'fast', 'go on')).stdout.toString(),
    );
    expect(await Promise.all(again), 'callers that hold one can use it').to.deep.equal(adbds.map(() => 'done'));
    expect(sessions.size).to.equal(3);
    // A closed phone keeps no connection.
    await Promise.all(adbds.slice(0, 2).map((adbd) => adbd.disconnected()));
    void sessions.close();
    await Promise.all(adbds.map((adbd) => adbd.close()));
  });
});
