import { expect } from 'chai';
import { ALL_TASKS } from '../../gym/src/index.js';
import { type GymWorld, startGymWorld, unexpected } from './gym-world.js';

/** Episodes at the same time. The bench `gym` has 20; here other tests run beside. */
const PARALLEL = 5;

describe('the tasks of the gym', () => {
  let gym: GymWorld;
  before(async () => (gym = await startGymWorld(PARALLEL)));
  after(() => gym.close());

  // All of them take minutes, and a test has a limit, so each half is a test.
  for (const half of [0, 1]) {
    it(`are all reached by their scripts, half ${half + 1} of 2`, async () => {
      expect(ALL_TASKS).to.have.length(100);
      const tasks = ALL_TASKS.filter((_, at) => at % 2 === half);
      const outcomes = await gym.run(tasks, 'scripted');
      expect(unexpected(outcomes, true)).to.equal('');
      expect(outcomes.every(({ steps, tokens, timeline }) => tokens > 0 && steps === timeline.length)).to.equal(true);
    });
  }

  // verdicts.test.ts has all tasks in their start state, for many seeds.
  it('are missed by an agent that only says that it is done, in every family', async () => {
    const familyOf = ({ id }: { id: string }): string => id.split('/', 1)[0]!;
    const tasks = ALL_TASKS.filter((task, at) => ALL_TASKS.findIndex((one) => familyOf(one) === familyOf(task)) === at);
    expect(tasks.length).to.be.greaterThan(10);
    expect(unexpected(await gym.run(tasks, 'idle'), false)).to.equal('');
  });

  it('begin on a phone in the state of the template', async () => {
    const [task] = ALL_TASKS.filter(({ id }) => id === 'notes/write');
    // The script would leave a note behind for the next one.
    const outcomes = [...(await gym.run([task!], 'scripted')), ...(await gym.run([task!], 'scripted'))];
    expect(unexpected(outcomes, true)).to.equal('');
  });
});
