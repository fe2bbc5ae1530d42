import { expect } from 'chai';
import { silentLog } from '../kit/log.js';
import { FakeClock } from '../testing/fake-clock.js';
import { SWEEP_MS } from './limits.js';
import { startUpkeep } from './upkeep.js';

describe('the upkeep of the device service', () => {
  it('does every step in each round, although one of them always fails', async () => {
    const clock = new FakeClock();
    const done: string[] = [];
    const upkeep = startUpkeep(clock, silentLog, {
      first: async () => void done.push('first'),
      broken: async () => Promise.reject(new Error('a file that cannot be removed')),
      last: async () => void done.push('last'),
    });
    await clock.pass(SWEEP_MS * 2, SWEEP_MS);
    expect(done).to.deep.equal(['first', 'last', 'first', 'last']);
    await upkeep.close();
  });
});
