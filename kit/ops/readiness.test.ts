import { expect } from 'chai';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { silentLog } from '../log/log.js';
import { Readiness } from './readiness.js';

describe('readiness', () => {
  let clock: FakeClock;
  let readiness: Readiness;

  beforeEach(() => {
    clock = new FakeClock();
    readiness = new Readiness({ clock, log: silentLog });
  });

  it('comes with the start and goes for good with the stop', async () => {
    expect(await readiness.report()).to.deep.equal({ ready: false, state: 'starting', checks: {} });
    readiness.start();
    expect(await readiness.report()).to.deep.equal({ ready: true, state: 'started', checks: {} });
    readiness.stop();
    readiness.start();
    expect(await readiness.report()).to.deep.equal({ ready: false, state: 'stopping', checks: {} });
  });

  it('names the failing parts, and no reasons', async () => {
    let password = 'hunter2';
    readiness.needs('database', async () => {
      if (password !== '') throw new Error(`mongodb://user:${password}@db:27017 refused`);
    });
    readiness.needs('device_service', async () => 'anything');
    readiness.start();
    const checks = { database: 'failing', device_service: 'ok' };
    expect(await readiness.report()).to.deep.equal({ ready: false, state: 'started', checks });
    password = '';
    expect(await readiness.report()).to.have.property('ready', true);
  });

  it('checks nothing while the service starts or stops', async () => {
    let asked = 0;
    readiness.needs('database', async () => asked++);
    await readiness.report();
    readiness.start();
    readiness.stop();
    await readiness.report();
    expect(asked).to.equal(0);
  });

  it('gives up on a check that takes over 800 ms, and aborts its signal', async () => {
    const signals: AbortSignal[] = [];
    readiness.needs('database', (signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    readiness.needs('device_service', async () => undefined);
    readiness.start();
    const report = readiness.report();
    clock.turn(799);
    await settled();
    expect(signals[0]!.aborted).to.equal(false);
    clock.turn(1);
    expect(await report).to.have.deep.property('checks', { database: 'failing', device_service: 'ok' });
    expect(signals[0]!.aborted).to.equal(true);
    expect(clock.timers).to.equal(0);
  });

  it('checks once for all requests at the same time', async () => {
    let asked = 0;
    let respond: () => void = () => undefined;
    readiness.needs('database', () => {
      asked++;
      return new Promise<void>((resolve) => (respond = resolve));
    });
    readiness.start();
    const reports = Array.from({ length: 50 }, () => readiness.report());
    respond();
    for (const report of await Promise.all(reports)) expect(report.ready).to.equal(true);
    expect(asked).to.equal(1);
    const again = readiness.report();
    respond();
    await again;
    expect(asked).to.equal(2);
  });

  it('is gone for clients that requested it before the stop, too', async () => {
    let respond: () => void = () => undefined;
    readiness.needs('database', () => new Promise<void>((resolve) => (respond = resolve)));
    readiness.start();
    const report = readiness.report();
    readiness.stop();
    respond();
    expect(await report).to.deep.include({ ready: false, state: 'stopping' });
  });

  it('calls watchers at every state change, and each second', () => {
    let calls = 0;
    const unwatch = readiness.watch(() => calls++);
    readiness.start();
    expect(calls).to.equal(1);
    clock.turn(3_000);
    expect(calls).to.equal(4);
    readiness.stop();
    expect(calls).to.equal(5);
    unwatch();
    clock.turn(3_000);
    expect(calls).to.equal(5);
    expect(clock.timers).to.equal(0);
  });
});
