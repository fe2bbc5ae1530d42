import { expect } from 'chai';
import { ALL_TASKS } from '../../gym/src/index.js';
import { type GymWorld, startGymWorld, unexpected } from './gym-world.js';

/** A task of each family, of those that take few steps. All of them are in gym.long.test.ts. */
const SAMPLE = [
  ...['settings/airplane-on', 'messages/send', 'notes/write-with-text', 'browser/refuse-cookies', 'clock/reset'],
  ...['files/rename', 'forms/appointment', 'calendar/cancel-entry', 'lists/star-contact', 'languages/arabic-city'],
  ...['interruptions/newsletter', 'consent/end-subscription', 'apps/code-to-note'],
];

describe('the gym', () => {
  let gym: GymWorld;
  const tasks = ALL_TASKS.filter(({ id }) => SAMPLE.includes(id));
  before(async () => (gym = await startGymWorld(4)));
  after(() => gym.close());

  it('reaches the goal of a task of each family with its script', async () => {
    expect(tasks).to.have.length(SAMPLE.length);
    const outcomes = await gym.run(tasks, 'scripted');
    expect(unexpected(outcomes, true)).to.equal('');
    expect(outcomes.every(({ steps, tokens, timeline }) => tokens > 0 && steps === timeline.length)).to.equal(true);
  });

  it('misses the goal of each of them with an agent that only says that it is done', async () => {
    expect(unexpected(await gym.run(tasks, 'idle'), false)).to.equal('');
  });

  it('gives each episode a phone in the state of the template', async () => {
    const [task] = ALL_TASKS.filter(({ id }) => id === 'notes/write');
    // The script would leave a note behind for the next one.
    const outcomes = [...(await gym.run([task!], 'scripted')), ...(await gym.run([task!], 'scripted'))];
    expect(unexpected(outcomes, true)).to.equal('');
  });
});
