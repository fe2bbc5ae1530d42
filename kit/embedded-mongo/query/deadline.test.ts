import { expect } from 'chai';
import { FakeClock } from '../../../testing/fake-clock.js';
import { CommandError } from '../command-error.js';
import { Deadline } from './deadline.js';

describe('Deadline', () => {
  it('ends a walk over documents that takes longer than it may', () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 100);
    const walk = (): void => {
      for (let document = 0; document < 1_000; document++) deadline.check();
    };
    walk();
    clock.turn(101);
    expect(walk).to.throw(CommandError, 'time limit');
  });

  it('never ends one without a limit', () => {
    const clock = new FakeClock();
    const deadline = new Deadline(clock, 0);
    clock.turn(1e9);
    for (let document = 0; document < 1_000; document++) deadline.check();
  });
});
