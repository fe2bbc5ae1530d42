import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { type WaitEnd, WakeSignal } from './wake-signal.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a wake signal', () => {
  let wakeup: WakeSignal;
  let ended: string[];
  const wait = (name: string, end?: WaitEnd): Promise<void> => wakeup.wait(end).then(() => void ended.push(name));

  beforeEach(() => {
    wakeup = new WakeSignal();
    ended = [];
  });

  it('ends all waits, and those that come later wait for the next wake', async () => {
    const first = [wait('a'), wait('b'), wait('c')];
    await turn();
    expect(ended).to.deep.equal([]);
    wakeup.wake();
    await Promise.all(first);
    expect(ended).to.deep.equal(['a', 'b', 'c']);
    const later = wait('d');
    await turn();
    expect(ended).not.to.include('d');
    wakeup.wake();
    await later;
  });

  it('keeps wakes without a wait as one, for the next wait', async () => {
    wakeup.wake();
    wakeup.wake();
    await wait('a');
    const next = wait('b');
    await turn();
    expect(ended).to.deep.equal(['a']);
    wakeup.wake();
    await next;
  });

  it('loses no work that is added while the reader is at work', async () => {
    const work: number[] = [];
    const done: number[] = [];
    const reader = (async () => {
      while (done.length < 100) {
        if (work.length === 0) await wakeup.wait();
        for (const item of work.splice(0)) {
          if (item % 3 === 0) await turn();
          done.push(item);
        }
      }
    })();
    for (let item = 0; item < 100; item++) {
      work.push(item);
      wakeup.wake();
      if (item % 7 === 0) await turn();
    }
    await reader;
    expect(done).to.deep.equal(Array.from({ length: 100 }, (_, item) => item));
  });

  it('ends a wait when its signal aborts, at once when it has aborted, and leaves no listener', async () => {
    const life = new AbortController();
    const waits = [wait('a', { signal: life.signal }), wait('b')];
    life.abort();
    await waits[0];
    expect(ended).to.deep.equal(['a']);
    await wait('c', { signal: life.signal });
    wakeup.wake();
    await waits[1];
    expect(ended).to.deep.equal(['a', 'c', 'b']);
    const longLife = new AbortController().signal;
    for (let count = 0; count < 20; count++) {
      const waiting = wakeup.wait({ signal: longLife });
      wakeup.wake();
      await waiting;
    }
    expect(getEventListeners(longLife, 'abort')).to.have.length(0);
  });

  it('ends a wait after its time, by the clock that was passed, and leaves no timer', async () => {
    const clock = new FakeClock();
    const waits = [wait('a', { timeout: { clock, ms: 1_000 } }), wait('b', { timeout: { clock, ms: 5_000 } })];
    clock.turn(999);
    await turn();
    expect(ended).to.deep.equal([]);
    clock.turn(1);
    await waits[0];
    wakeup.wake();
    await waits[1];
    expect(ended).to.deep.equal(['a', 'b']);
    expect(clock.timers).to.equal(0);
  });

  it('does not keep a wake that came too late for a wait that has ended', async () => {
    const clock = new FakeClock();
    const waiting = wait('a', { timeout: { clock, ms: 10 } });
    clock.turn(10);
    await waiting;
    const next = wait('b');
    await turn();
    expect(ended).to.deep.equal(['a']);
    wakeup.wake();
    await next;
  });
});
