import type { Environment } from '../environment.js';
import type { Episode, EpisodeInfo, TimelineEntry } from '../episode/episode.js';
import type { AnyTask } from '../task.js';
import type { Policy } from './policies.js';

/** An episode that has ended. */
export interface Outcome extends Required<Pick<EpisodeInfo, 'success'>>, Omit<EpisodeInfo, 'success'> {
  seed: number;
  round: number;
  goal: string;
  resetMs: number;
  timeline: readonly TimelineEntry[];
}

/** Runs one episode of a task with a policy. A fault of the service or the phone is an episode without success, with the fault as reason. */
export async function runTask(
  environment: Environment,
  task: AnyTask,
  policy: Policy,
  { seed, round }: { seed: number; round: number },
): Promise<Outcome> {
  const bound = task.at(seed);
  const { goal } = bound;
  const known = { seed, round, goal, resetMs: 0 };
  let episode: Episode | undefined;
  try {
    const { observation, info } = await environment.reset(task, seed);
    known.resetMs = info.resetMs;
    episode = environment.episode;
    const decide = policy(bound, seed);
    for (let seen = observation; ;) {
      const result = await environment.step(decide(seen));
      if (result.done)
        return { ...known, ...result.info, success: result.info.success === true, timeline: episode.timeline };
      seen = result.observation;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const none = { task: task.id, family: task.family, steps: 0, tokens: 0, wrongPresses: 0, seconds: 0 };
    // What was done before the fault shows where it came from.
    const timeline = episode?.timeline ?? [];
    return { ...known, ...(episode?.info() ?? none), timeline, success: false, reason: `fault: ${reason}` };
  }
}
