import type { Replay, ReplayStep } from '../../../replay/format/replay.js';
import { spokenStep } from '../../../replay/format/spoken-step.js';
import { eachName, filled, type Values } from '../../../replay/format/variables.js';
import { UsageError } from '../output/usage-error.js';
import type { PostBody, Step } from '../service/types.js';
import { slowMsOf, waitMsOf } from './play-step.js';

type GroupStep = PostBody<'/v1/groups'>['steps'][number];

/** Most steps of a group or a schedule, and of one `act`, as the API has them. */
export const MAX_GROUP_STEPS = 50;
const MAX_ACT_STEPS = 20;

/** Longest time of one `act`, ms, and longest wait for the element of a step, seconds, as the API has them. */
const MAX_ACT_MS = 60_000;
const MAX_TARGET_S = 60;

/** Least share of the time of an `act` that a step has, ms, so that as many steps as it may have do fit. */
const MIN_SHARE_MS = MAX_ACT_MS / MAX_ACT_STEPS;

/**
 * Returns the steps of a group that repeat a replay. Each is one `act` with one step, so that the group names the step which failed. A
 * replay of more than `maxSteps` has several in one `act`, which share its time: at least twice the time that they took when recorded.
 */
export function groupSteps(
  replay: Replay,
  values: Values,
  { file, maxSteps }: { file: string; maxSteps: number },
): GroupStep[] {
  refuseShown(replay, file);
  const { steps } = replay;
  for (let maxTogether = 1; maxTogether <= MAX_ACT_STEPS; maxTogether++) {
    const parts = partsOf(steps, maxTogether);
    if (parts.length <= maxSteps) return parts.map((part) => groupStep(part, values));
  }
  throw new UsageError(
    `${file} has ${steps.length} steps, which do not fit in ${maxSteps} steps of a group: each does at most ${MAX_ACT_STEPS} of them, in ` +
      `${MAX_ACT_MS / 1_000} s. Split the file, and run each next part when the one before has ended.`,
  );
}

/** Returns the steps in parts that one `act` each has the time for. A step that needs more time than that is alone. */
function partsOf(steps: readonly ReplayStep[], maxTogether: number): ReplayStep[][] {
  const parts: ReplayStep[][] = [];
  let leftMs = 0;
  for (const step of steps) {
    const shareMs = Math.max(MIN_SHARE_MS, slowMsOf(step));
    const last = parts.at(-1);
    if (last !== undefined && last.length < maxTogether && shareMs <= leftMs) last.push(step);
    else {
      parts.push([step]);
      leftMs = MAX_ACT_MS;
    }
    leftMs -= shareMs;
  }
  return parts;
}

function groupStep(part: readonly ReplayStep[], values: Values): GroupStep {
  const timeoutMs = part.reduce((sum, step) => sum + waitMsOf(step), 0);
  return {
    act: {
      steps: part.map((step) => actStep(step, values)),
      observe: 'none' as const,
      timeout_ms: Math.min(MAX_ACT_MS, timeoutMs),
    },
  };
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
