import { expect } from 'chai';
import { FakeClock } from '../../../testing/fake-clock.js';
import { VideoFailures } from './video-failures.js';

describe('the failures of a video', () => {
  it('pause it when it does not start, and end it for good after three', () => {
    const clock = new FakeClock();
    const failures = new VideoFailures(clock);
    for (let count = 1; count <= 3; count++) {
      expect(failures.mayTry).to.equal(true);
      failures.add('gone', undefined);
      expect(failures.mayTry).to.equal(false);
      clock.turn(60_000);
    }
    clock.turn(3_600_000);
    expect(failures.mayTry).to.equal(false);
  });

  it('let one that has worked begin again at once, for good where each worked for long', () => {
    const clock = new FakeClock();
    const failures = new VideoFailures(clock);
    for (let count = 1; count <= 10; count++) {
      const sinceMs = clock.monotonicMs();
      clock.turn(30_001);
      failures.add(new Error('gone'), sinceMs);
      expect(failures.mayTry).to.equal(true);
    }
    failures.add(new Error('gone'), clock.monotonicMs());
    expect(failures.mayTry).to.equal(false);
  });

  it('have the reason and the time of the first since the latest picture', () => {
    const clock = new FakeClock();
    const failures = new VideoFailures(clock);
    failures.add(new Error('first'), undefined);
    clock.turn(5);
    failures.add(new Error('second'), undefined);
    expect(failures.failing).to.deep.include({ forMs: 5 }).and.to.have.nested.property('error.message', 'first');
    failures.over();
    expect(failures.failing).to.equal(undefined);
  });
});
