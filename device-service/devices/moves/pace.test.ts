import { expect } from 'chai';
import { FakeClock, settled } from '../../../testing/fake-clock.js';
import { Pace } from './pace.js';

const { signal } = new AbortController();

describe('the pace of moves', () => {
  it('lets so many bytes a second through, for all moves together', async () => {
    const clock = new FakeClock();
    const pace = new Pace(clock, 1_000);
    const sent: number[] = [];
    const send = async (id: number): Promise<void> => {
      for (let piece = 0; piece < 3; piece++) {
        await pace.take(500, signal);
        sent.push(id);
      }
    };
    const both = Promise.all([send(1), send(2)]);
    await settled();
    const counts = [sent.length];
    for (let halves = 0; halves < 5; halves++) {
      clock.turn(500);
      await settled();
      counts.push(sent.length);
    }
    await both;
    expect(counts).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(sent.filter((id) => id === 1)).to.have.length(3);
  });

  it('does not save up time in which nothing was sent', async () => {
    const clock = new FakeClock();
    const pace = new Pace(clock, 1_000);
    await pace.take(1_000, signal);
    clock.turn(60_000);
    await pace.take(1_000, signal);
    let isThrough = false;
    const next = pace.take(1, signal).then(() => (isThrough = true));
    await settled();
    expect(isThrough).to.equal(false);
    clock.turn(1_000);
    await next;
  });

  it('has no bound with 0', async () => {
    const pace = new Pace(new FakeClock(), 0);
    for (let piece = 0; piece < 100; piece++) await pace.take(1e9, signal);
  });
});
