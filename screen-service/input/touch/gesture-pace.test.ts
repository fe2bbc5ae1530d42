import { expect } from 'chai';
import { FakeClock, settled } from '../../../testing/fake-clock.js';
import { GesturePace } from './gesture-pace.js';

describe('the pace of a gesture', () => {
  const { signal } = new AbortController();
  let clock: FakeClock;
  let pace: GesturePace;
  beforeEach(() => {
    clock = new FakeClock();
    pace = new GesturePace(clock);
  });

  /** Returns how long a touch is held back, ms. */
  async function heldBack(atMs: number | undefined, isHeld: boolean): Promise<number> {
    const fromMs = clock.monotonicMs();
    const state = { isDone: false };
    const turn = pace.turn(atMs, { isHeld, signal }).then(() => (state.isDone = true));
    await settled();
    for (let ms = 0; !state.isDone && ms < 20_000; ms += 10) {
      clock.turn(10);
      await settled();
    }
    await turn;
    return clock.monotonicMs() - fromMs;
  }

  it('is that of its own times when its touches arrive together', async () => {
    expect(await heldBack(5_000, false)).to.equal(0);
    expect(await heldBack(5_080, true)).to.equal(80);
    expect(await heldBack(5_180, false), 'the second tap of a double tap').to.equal(100);
  });

  it('holds nothing back that arrives in time, or late', async () => {
    await heldBack(5_000, false);
    clock.turn(80);
    expect(await heldBack(5_080, true)).to.equal(0);
    clock.turn(400);
    expect(await heldBack(5_100, true)).to.equal(0);
  });

  it('holds no new gesture back, nor touches without a time', async () => {
    await heldBack(5_000, false);
    expect(await heldBack(5_600, false)).to.equal(0);
    expect(await heldBack(undefined, true)).to.equal(0);
    expect(await heldBack(9_000, true), 'after one without a time').to.equal(0);
  });

  it('is bounded, and takes times that go backwards for equal ones', async () => {
    await heldBack(5_000, false);
    expect(await heldBack(2_000_000, true)).to.equal(10_000);
    expect(await heldBack(1, true)).to.equal(0);
  });
});
