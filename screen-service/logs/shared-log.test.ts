import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { openTestCall } from '../../testing/open-test-call.js';
import { type FakeAdbd, type FakeStream, startFakeAdbd } from '../../testing/phone/fake-adbd.js';
import { until } from '../../testing/until.js';
import { openTestSession } from '../testing/screen-world.js';
import { followLogs } from './follow-logs.js';
import type { LogLine } from './log-line.js';

const HEAD = '1700000000 +0000\nEtc/UTC\n';
const at = (second: number, text: string, tag = 'Zygote'): string =>
  `11-14 22:13:${String(20 + second)}.000  1  2 I ${tag}: ${text}\n`;

describe('the log that all share', () => {
  let adbd: FakeAdbd;
  /** The logcats so far, with their command lines. */
  let running: { command: string; stream: FakeStream }[];
  /** Most logcats that ran at a time. */
  let most: number;
  /** What a logcat prints at its start. */
  let past: string;

  beforeEach(async () => {
    running = [];
    most = 0;
    past = '';
    adbd = await startFakeAdbd(async (stream) => {
      const command = stream.service;
      if (!command.includes('logcat')) return;
      if (command.includes('logcat -d')) {
        await stream.write(Buffer.from(HEAD + past));
        stream.close();
        return;
      }
      // A logcat ends when the host closes its stream.
      const closed = adbd.closed.filter((one) => one.includes('logcat -v')).length;
      most = Math.max(most, logcats().length - closed);
      running.push({ command, stream });
      await stream.write(Buffer.from(HEAD + past));
    });
  });
  afterEach(() => adbd.close());

  const logcats = (): string[] => adbd.opened.filter((one) => one.includes('logcat -v'));
  const print = async (text: string): Promise<void> => {
    past += text;
    await running.at(-1)?.stream.write(Buffer.from(text));
  };
  const isFull = (command: string | undefined): boolean => command?.includes('*:S') === false;

  it('is filtered for a watcher, whole while somebody follows it, and gives the watcher each line once', async () => {
    const phoneSession = openTestSession(adbd.port);
    const seen: LogLine[] = [];
    const stop = phoneSession.sharedLog.watch(0, (lines) => seen.push(...lines));
    await until(() => running.length === 1);
    expect(logcats()[0]).to.contain('AndroidRuntime:E').and.to.contain('-b main,system,crash').and.to.contain('*:S');
    await print(at(1, 'one'));
    await until(() => seen.length === 1);

    const call = openTestCall();
    const log = followLogs(call, phoneSession, { level: undefined, tag: undefined }, 0);
    expect((await log.next()).value).to.deep.equal({ lost: 0, lines: [] });
    expect(
      adbd.closed.filter((one) => one.includes('*:S')),
      'the filtered one was closed',
    ).to.have.lengthOf(1);
    expect(logcats().map(isFull)).to.deep.equal([false, true]);
    await print(at(2, 'two') + at(2, 'of an app', 'App') + at(2, 'two'));
    const { value } = await log.next();
    expect(value?.lines.map(({ message }) => message)).to.deep.equal(['two', 'of an app', 'two']);
    expect(seen.map(({ message }) => message)).to.deep.equal(['one', 'two', 'two']);

    const second = openTestCall();
    const other = followLogs(second, phoneSession, { level: undefined, tag: 'App' }, 5);
    expect((await other.next()).value?.lines.map(({ message }) => message)).to.deep.equal(['of an app']);
    expect(logcats(), 'both share one').to.have.lengthOf(2);
    await print(at(3, 'three') + at(3, 'again', 'App'));
    expect((await other.next()).value?.lines.map(({ message }) => message)).to.deep.equal(['again']);

    second.hangUp();
    await other.return(undefined);
    call.hangUp();
    await log.return(undefined);
    await until(() => logcats().length === 3);
    expect(isFull(logcats()[2])).to.equal(false);
    await until(() => seen.length === 4);
    await print(at(4, 'four'));
    await until(() => seen.length === 5);
    expect(seen.map(({ message }) => message)).to.deep.equal(['one', 'two', 'two', 'three', 'four']);
    expect(most, 'one runs at a time').to.equal(1);
    stop();
    phoneSession.close();
    await adbd.disconnected();
  });

  it('begins at the time since which it was not read, by the clock of the phone', async () => {
    const phoneSession = openTestSession(adbd.port);
    const stop = phoneSession.sharedLog.watch(120, () => undefined);
    await until(() => running.length === 1);
    expect(logcats()[0]).to.match(/-T "\$\(\(\$\(date \+%s\)-12[34]\)\)\.000"/);
    stop();
    phoneSession.close();
    await adbd.disconnected();
  });

  it('is read again after pauses that grow, when the phone breaks it off, and only while somebody watches', async () => {
    const clock = new FakeClock();
    const phoneSession = openTestSession(adbd.port, {}, clock);
    let ends = 0;
    adbd.response = (stream) => {
      if (!stream.service.includes('logcat')) return;
      ends++;
      stream.close();
    };
    const stop = phoneSession.sharedLog.watch(0, () => undefined);
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000]) {
      await until(() => ends === 1, 5_000);
      ends = 0;
      let turnedMs = 0;
      while (ends === 0) {
        clock.turn(100);
        turnedMs += 100;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      expect(turnedMs).to.be.at.least(pauseMs);
    }
    stop();
    const { length } = logcats();
    clock.turn(600_000);
    expect(logcats()).to.have.lengthOf(length);
    phoneSession.close();
  });

  it('is read on a new connection when the phone does not begin to print it', async () => {
    const clock = new FakeClock();
    const phoneSession = openTestSession(adbd.port, {}, clock);
    const { response } = adbd;
    let hung = 0;
    adbd.response = (stream) => void (hung += stream.service.includes('logcat') ? 1 : 0);
    let seen = 0;
    const stop = phoneSession.sharedLog.watch(0, (lines) => (seen += lines.length));
    await until(() => hung === 1);
    adbd.response = response;
    past = at(1, 'one');
    expect(adbd.connections).to.equal(1);
    clock.turn(14_000);
    await until(() => {
      clock.turn(100);
      return running.length === 1;
    });
    expect(adbd.connections).to.equal(2);
    await until(() => seen === 1);
    stop();
    phoneSession.close();
    await adbd.disconnected();
  });

  it('is read anew from the same place when nothing has come for ten minutes', async () => {
    const clock = new FakeClock();
    const phoneSession = openTestSession(adbd.port, {}, clock);
    past = at(1, 'one');
    let seen = 0;
    const stop = phoneSession.sharedLog.watch(0, (lines) => (seen += lines.length));
    await until(() => seen === 1);
    clock.turn(600_000);
    await until(() => running.length === 2);
    expect(logcats()[1]).to.contain('%s)-603))');
    expect(adbd.connections, 'the connection is not known to be dead').to.equal(1);
    stop();
    phoneSession.close();
    await adbd.disconnected();
  });

  it('gives older lines to one who asks for them later, each once, also after somebody has followed it', async () => {
    const phoneSession = openTestSession(adbd.port);
    const seen: string[] = [];
    const note = (lines: readonly LogLine[]): void => void seen.push(...lines.map(({ message }) => message));
    past = at(1, 'old') + at(2, 'new');
    const stop = phoneSession.sharedLog.watch(10, note);
    await until(() => running.length === 1 && seen.length === 2);
    const stopSecond = phoneSession.sharedLog.watch(600, note);
    stop();
    await until(() => running.length === 2);
    expect(logcats()[1]).to.match(/%s\)-60[34]\)\)/);
    const call = openTestCall();
    const log = followLogs(call, phoneSession, { level: undefined, tag: undefined }, 0);
    await log.next();
    expect(logcats()[2], 'those who follow it get none of them').to.match(/%s\)-[34]\)\)/);
    call.hangUp();
    await log.return(undefined);
    await until(() => running.length === 4);
    expect(logcats()[3], 'it is not known that all had come').to.match(/%s\)-60[3-9]\)\)/);
    await print(at(3, 'newest'));
    await until(() => seen.length === 3);
    expect(seen).to.deep.equal(['old', 'new', 'newest']);
    stopSecond();
    phoneSession.close();
    await adbd.disconnected();
  });

  it('fails for those who follow it when the phone breaks it off', async () => {
    const phoneSession = openTestSession(adbd.port);
    const log = followLogs(openTestCall(), phoneSession, { level: undefined, tag: undefined }, 0);
    await log.next();
    running.at(-1)?.stream.die();
    const failure = await log.next().catch((error: unknown) => error);
    expect(failure).to.include({ kind: 'unavailable' });
    phoneSession.close();
  });

  it('loses the oldest lines for one who is slow, counts them, and loses none for a watcher', async () => {
    const LINES = 60_000;
    const phoneSession = openTestSession(adbd.port);
    let watched = 0;
    const stop = phoneSession.sharedLog.watch(0, (lines) => (watched += lines.length));
    await until(() => running.length === 1);
    const log = followLogs(openTestCall(), phoneSession, { level: undefined, tag: undefined }, 0);
    await log.next();
    let written = 0;
    for (; written < LINES; written += 1_000) {
      const text = Array.from({ length: 1_000 }, (_, one) => at(written % 30, `line ${written + one}`)).join('');
      await running.at(-1)?.stream.write(Buffer.from(text));
    }
    await until(() => watched === LINES);
    const { value } = await log.next();
    expect(value?.lines.length).to.be.at.most(5_000);
    expect((value?.lost ?? 0) + (value?.lines.length ?? 0)).to.equal(LINES);
    stop();
    phoneSession.close();
  });
});
