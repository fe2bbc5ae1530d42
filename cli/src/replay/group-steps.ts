import type { Replay, ReplayStep } from '../../../replay/format/replay.js';
import { spokenStep } from '../../../replay/format/spoken-step.js';
import { eachName, filled, type Values } from '../../../replay/format/variables.js';
import { UsageError } from '../output/usage-error.js';
import type { PostBody, Step } from '../service/types.js';
import { waitMsOf } from './play-step.js';

type GroupStep = PostBody<'/v1/groups'>['steps'][number];

/** Most steps of a group or a schedule, and of one `act`, as the API has them. */
export const MAX_GROUP_STEPS = 50;
const MAX_ACT_STEPS = 20;

/** Longest time of one `act`, ms, and longest wait for the element of a step, seconds, as the API has them. */
const MAX_ACT_MS = 60_000;
const MAX_TARGET_S = 60;

/**
 * Returns the steps of a group that repeat a replay. Each is one `act` with one step, so that the group names the step which failed. A
 * replay of more than 50 steps has several in one `act`, which share its time.
 */
export function groupSteps(replay: Replay, values: Values, file: string): GroupStep[] {
  refuseShown(replay, file);
  const { steps } = replay;
  const size = Math.ceil(steps.length / MAX_GROUP_STEPS);
  if (size > MAX_ACT_STEPS)
    throw new UsageError(
      `${file} has ${steps.length} steps; a group takes ${MAX_GROUP_STEPS * MAX_ACT_STEPS} at the most.`,
    );
  return Array.from({ length: Math.ceil(steps.length / size) }, (_, at) => {
    const some = steps.slice(at * size, (at + 1) * size);
    const timeoutMs = some.reduce((sum, step) => sum + waitMsOf(step), 0);
    return {
      act: {
        steps: some.map((step) => actStep(step, values)),
        observe: 'none' as const,
        timeout_ms: Math.min(MAX_ACT_MS, timeoutMs),
      },
    };
  });
}

/** Throws a UsageError for a secret that a group would show. It hides texts that are typed as secrets, and no others. */
function refuseShown({ steps, variables = {} }: Replay, file: string): void {
  for (const [at, step] of steps.entries())
    eachName(spokenStep(step), (name, place) => {
      if (variables[name]?.secret !== true || place === 'type.text') return;
      throw new UsageError(
        `${file}: steps[${at}].${place} uses the secret variable ${name}, which everybody who may see the group could read. Type it in ` +
          'place of that, or remove "secret: true" where all may see it.',
      );
    });
}

function actStep(step: ReplayStep, values: Values): Step {
  const waitS = Math.min(MAX_TARGET_S, Math.floor(waitMsOf(step) / 1_000));
  return { ...filled(spokenStep(step), values), wait_s: waitS } as Step;
}
