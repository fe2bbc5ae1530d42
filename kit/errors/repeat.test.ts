import { expect } from 'chai';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { ApiError } from './api-error.js';
import { type Log, silentLog } from '../log/log.js';
import { type Loop, repeat } from './repeat.js';

describe('work that is repeated', () => {
  let clock: FakeClock;
  let loop: Loop;
  let runs: number;
  /** Ends the run under way. */
  let end: () => void;
  let given: AbortSignal;

  /** Work whose runs last until `end` is called. */
  const lasting = (signal: AbortSignal): Promise<void> => {
    runs++;
    given = signal;
    return new Promise((resolve) => (end = resolve));
  };

  beforeEach(() => {
    clock = new FakeClock();
    runs = 0;
    end = () => undefined;
  });

  afterEach(() => {
    const closed = loop.close();
    end();
    return closed;
  });

  function open(work: (signal: AbortSignal) => Promise<unknown>, log: Log = silentLog): void {
    loop = repeat({ clock, log, everyMs: 1_000, firstMs: 100, step: 'do it' }, work);
  }

  it('begins after its first time, and then as long after the end of each run', async () => {
    open(lasting);
    clock.turn(99);
    expect(runs).to.equal(0);
    clock.turn(1);
    expect(runs).to.equal(1);
    await clock.pass(5_000);
    expect(runs).to.equal(1);
    end();
    await clock.pass(950);
    expect(runs).to.equal(1);
    await clock.pass(50);
    expect(runs).to.equal(2);
  });

  it('goes on after a run that fails, and logs what is away as a warning and a fault as an error', async () => {
    const logged: string[] = [];
    const note = (level: string) => (_fields: unknown, text: string) => void logged.push(`${level} ${text}`);
    const log = { ...silentLog, warn: note('warn'), error: note('error') } as unknown as Log;
    open(() => {
      runs++;
      if (runs === 1) throw new ApiError('unavailable', 'away');
      return Promise.reject(new Error('a fault'));
    }, log);
    await clock.pass(2_100, 100);
    expect(runs).to.equal(3);
    expect(logged.slice(0, 2)).to.deep.equal([
      'warn could not do it; trying again',
      'error could not do it; trying again',
    ]);
  });

  it('logs the same failure once a minute, and again after a run that succeeded', async () => {
    let lines = 0;
    let isAway = true;
    const log = { ...silentLog, warn: () => (lines += 1) } as unknown as Log;
    open(async () => {
      runs++;
      if (isAway) throw new ApiError('unavailable', 'away');
    }, log);
    await clock.pass(50_000, 500);
    expect(runs).to.be.at.least(40);
    expect(lines).to.equal(1);
    await clock.pass(70_000, 500);
    expect(lines).to.equal(2);
    isAway = false;
    await clock.pass(2_000, 500);
    isAway = true;
    await clock.pass(2_000, 500);
    expect(lines).to.equal(3);
  });

  it('begins at once when it is wanted soon, and once more when it is at work', async () => {
    open(lasting);
    loop.soon();
    expect(runs).to.equal(1);
    loop.soon();
    loop.soon();
    expect(runs).to.equal(1);
    end();
    await settled();
    expect(runs).to.equal(2);
    end();
    await clock.pass(950);
    expect(runs).to.equal(2);
  });

  it('aborts the signal of the run under way when it is closed, waits for it, and begins no other', async () => {
    open(lasting);
    loop.soon();
    let isClosed = false;
    const closed = loop.close().then(() => (isClosed = true));
    expect(given.aborted).to.equal(true);
    await settled();
    expect(isClosed).to.equal(false);
    end();
    await closed;
    loop.soon();
    await clock.pass(2_000);
    expect(runs).to.equal(1);
    expect(clock.timers).to.equal(0);
  });
});
