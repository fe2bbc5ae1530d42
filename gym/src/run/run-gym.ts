import { Environment, type EnvironmentOptions } from '../environment.js';
import type { GymPhones } from '../pool/gym-phones.js';
import type { AnyTask } from '../task.js';
import type { Policy } from './policies.js';
import { type Outcome, runTask } from './run-task.js';

/** What a run of the gym does. */
export interface GymRun extends EnvironmentOptions {
  tasks: readonly AnyTask[];
  policy: Policy;
  seed: number;
  /** How often each task is done, each time with another seed. */
  rounds: number;
  /** Episodes at the same time. */
  parallel: number;
  onOutcome?: (outcome: Outcome) => void;
  signal?: AbortSignal;
}

/** Runs the tasks, several at once. Returns the outcomes in the order of the tasks, round after round. */
export async function runGym(phones: GymPhones, run: GymRun): Promise<Outcome[]> {
  const todo = Array.from({ length: run.rounds }, (_, round) => run.tasks.map((task) => ({ task, round }))).flat();
  const outcomes: Outcome[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    const environment = new Environment(phones, run);
    try {
      for (let at = next++; at < todo.length && run.signal?.aborted !== true; at = next++) {
        const { task, round } = todo[at] as (typeof todo)[number];
        const outcome = await runTask(environment, task, run.policy, { seed: run.seed + round, round });
        outcomes[at] = outcome;
        run.onOutcome?.(outcome);
      }
    } finally {
      await environment.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(run.parallel, todo.length) }, work));
  run.signal?.throwIfAborted();
  return outcomes;
}
