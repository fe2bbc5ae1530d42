import { seededRandom } from './random.js';
import type { AnyTask, Task } from './task.js';

/** Most steps of an episode, unless the task has another number. */
const MAX_STEPS = 25;

type Given<Params> = Omit<Task<Params>, 'id' | 'family' | 'maxSteps'> & { maxSteps?: number };

/** Collects the tasks of a family. */
export class Family {
  readonly name: string;
  readonly tasks: AnyTask[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Adds a task. Its id is the family's name and its own. */
  add<Params>(name: string, { maxSteps = MAX_STEPS, ...given }: Given<Params>): this {
    const id = `${this.name}/${name}`;
    const { name: family } = this;
    this.tasks.push({
      ...{ id, family, maxSteps },
      at: (seed) => {
        const params = given.params(seededRandom(seed, id));
        return {
          ...{ id, family, maxSteps, params },
          goal: given.goal(params),
          prepare: async (phone) => {
            await given.prepare?.(phone, params);
          },
          verdict: (phone) => given.verdict(phone, params),
          policy: () => given.policy(params),
        };
      },
    });
    return this;
  }
}
