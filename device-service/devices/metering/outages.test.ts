import { expect } from 'chai';
import { FakeClock } from '../../../testing/fake-clock.js';
import { Outages } from './outages.js';

describe('the times in which phones cannot be stopped', () => {
  let clock: FakeClock;
  let outages: Outages;
  beforeEach(() => {
    clock = new FakeClock(0);
    outages = new Outages(clock);
  });
  const secondsOf = (of: Outages): (number | undefined)[][] =>
    of.all.map(({ from, to }) => [from.getTime() / 1_000, to && to.getTime() / 1_000]);

  it('last from the renewal before the failure to the renewal after it', () => {
    clock.turn(5_000);
    outages.written(true);
    clock.turn(5_000);
    outages.begin();
    clock.turn(60_000);
    expect(outages.toWrite(true)).to.deep.equal([{ from: new Date(5_000), to: new Date(70_000) }]);
    outages.written(true);
    expect(secondsOf(outages)).to.deep.equal([[5, 70]]);
    expect(outages.toWrite(true)).to.equal(undefined);
  });

  it('are none where one call failed', () => {
    clock.turn(5_000);
    outages.begin();
    clock.turn(5_000);
    expect(outages.toWrite(true)).to.deep.equal([]);
    outages.written(true);
    expect(outages.all).to.deep.equal([]);
  });

  it('go on in the next process, where the database took the begin and the folder is full', () => {
    clock.turn(5_000);
    const begun = outages.toWrite(false);
    outages.written(false);
    clock.turn(65_000);
    const next = new Outages(clock);
    next.load(begun ?? [], new Date(65_000));
    expect(next.toWrite(true)).to.deep.equal([{ from: new Date(0), to: new Date(70_000) }]);
  });

  it('are found by the next process as a gap that is longer than a restart', () => {
    clock.turn(600_000);
    outages.load([], new Date(0));
    expect(outages.toWrite(true)).to.deep.equal([{ from: new Date(0), to: new Date(600_000) }]);
    const restarted = new Outages(clock);
    restarted.load([], new Date(500_000));
    expect(restarted.all).to.deep.equal([]);
  });

  it('are kept up to a bound, the newest', () => {
    for (let times = 0; times < 1_000; times++) {
      outages.begin();
      clock.turn(60_000);
      outages.written(true);
    }
    expect(outages.all).to.have.length(100);
    expect(outages.all.at(-1)?.to).to.deep.equal(new Date(clock.now()));
  });
});
