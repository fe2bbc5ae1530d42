import { expect } from 'chai';
import type { Dispatcher } from 'undici';
import { FakeClock } from '../../testing/fake-clock.js';
import { Exchange } from './exchange.js';

describe('an exchange with a receiver', () => {
  const limits = { responseTimeoutMs: 10_000, drainResponseMs: 1_000, responseMaxBytes: 100 };

  function begin() {
    const clock = new FakeClock();
    const exchange = new Exchange(clock, limits);
    const aborted: Error[] = [];
    const controller = { abort: (reason: Error) => aborted.push(reason) } as unknown as Dispatcher.DispatchController;
    return { clock, exchange, controller, aborted };
  }

  it('ends with the status when the rest of the response has been read, and leaves no timer', async () => {
    const { clock, exchange, controller, aborted } = begin();
    exchange.onRequestStart(controller);
    clock.turn(40);
    exchange.onResponseStart(controller, 103);
    clock.turn(2);
    exchange.onResponseStart(controller, 200);
    clock.turn(500);
    exchange.onResponseData(controller, Buffer.alloc(100));
    exchange.onResponseEnd();
    expect(await exchange.ended).to.deep.equal({ status: 200, ms: 42 });
    expect([clock.timers, aborted.length]).to.deep.equal([0, 0]);
  });

  it('is cut after its time, with the error of a timeout', async () => {
    const { clock, exchange, controller, aborted } = begin();
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 102);
    clock.turn(limits.responseTimeoutMs);
    const end = await exchange.ended;
    expect(end).to.deep.include({ ms: limits.responseTimeoutMs });
    expect('error' in end && end.error).to.include({ code: 'ETIMEDOUT' });
    expect(aborted).to.have.length(1);
  });

  it('keeps the status of a response that is too long, too slow or broken off', async () => {
    const long = begin();
    long.exchange.onRequestStart(long.controller);
    long.exchange.onResponseStart(long.controller, 200);
    long.exchange.onResponseData(long.controller, Buffer.alloc(101));
    const slow = begin();
    slow.exchange.onRequestStart(slow.controller);
    slow.exchange.onResponseStart(slow.controller, 200);
    slow.clock.turn(limits.drainResponseMs);
    const broken = begin();
    broken.exchange.onRequestStart(broken.controller);
    broken.exchange.onResponseStart(broken.controller, 200);
    broken.exchange.onResponseError(broken.controller, new Error('reset'));
    for (const { exchange, clock } of [long, slow, broken]) {
      expect(await exchange.ended).to.deep.equal({ status: 200, ms: 0 });
      expect(clock.timers).to.equal(0);
    }
    expect([long, slow, broken].map(({ aborted }) => aborted.length)).to.deep.equal([1, 1, 0]);
  });

  it('is never sent when it was cut while it connected', async () => {
    const { clock, exchange, controller, aborted } = begin();
    const reason = new Error('closing');
    exchange.cut(reason);
    expect(await exchange.ended).to.deep.equal({ error: reason, ms: 0 });
    exchange.onRequestStart(controller);
    expect([clock.timers, aborted.length]).to.deep.equal([0, 1]);
  });
});
