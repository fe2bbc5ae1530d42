import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { FixedWindows } from './fixed-windows.js';

describe('fixed windows', () => {
  it('count from the first event for a window, then begin anew with the next event', () => {
    const clock = new FakeClock();
    const windows = new FixedWindows({ clock, windowMs: 60_000 });
    expect(windows.count('a')).to.deep.equal({ count: 1, resetMs: 60_000 });
    clock.turn(59_999);
    expect(windows.count('a')).to.deep.equal({ count: 2, resetMs: 1 });
    expect(windows.count('b')).to.deep.equal({ count: 1, resetMs: 60_000 });
    clock.turn(30_000);
    expect(windows.count('a')).to.deep.equal({ count: 1, resetMs: 60_000 });
    expect(windows.count('b')).to.deep.equal({ count: 2, resetMs: 30_000 });
    windows.takeBack('b');
    expect(windows.count('b').count).to.equal(2);
    windows.forget('b');
    expect(windows.count('b').count).to.equal(1);
  });

  it('forget windows that are over, without timers', () => {
    const clock = new FakeClock();
    const windows = new FixedWindows({ clock, windowMs: 1_000 });
    for (let key = 0; key < 500; key++) windows.count(`old-${key}`);
    clock.turn(1_000);
    for (let key = 0; key < 200; key++) windows.count(`new-${key}`);
    expect(windows.size).to.equal(200);
    expect(clock.timers).to.equal(0);
  });

  it('remember a bounded number of keys', () => {
    const windows = new FixedWindows({ clock: new FakeClock(), windowMs: 1_000, maxKeys: 10 });
    for (let key = 0; key < 100; key++) windows.count(`key-${key}`);
    expect(windows.size).to.equal(10);
    expect(windows.count('key-99').count).to.equal(2);
  });
});
