import { expect } from 'chai';
import { ALL_TASKS } from '../../gym/src/index.js';
import { type GymWorld, startGymWorld, unexpected } from './gym-world.js';

describe('all tasks of the gym, 20 at once', () => {
  let gym: GymWorld;
  before(async () => (gym = await startGymWorld(20)));
  after(() => gym.close());

  it('are reached by their scripts', async () => {
    expect(ALL_TASKS).to.have.length(100);
    expect(unexpected(await gym.run(ALL_TASKS, 'scripted'), true)).to.equal('');
  });

  it('are all missed by an agent that only says that it is done', async () => {
    expect(unexpected(await gym.run(ALL_TASKS, 'idle'), false)).to.equal('');
  });
});
