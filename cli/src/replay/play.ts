import { CloudPhoneError } from '../../../client/src/errors.js';
import type { ReadReplay } from '../../../replay/format/read-replay.js';
import { filled, type Values } from '../../../replay/format/variables.js';
import { describeDifference } from './difference.js';
import { type Playing, playStep, type StepEnd } from './play-step.js';
import type { Played, PlayedStep } from './played.js';
import { maskOf } from './masked.js';
import { hasPoints, scaledStep, type ScreenSize } from './scaled-step.js';

/** Does the steps of a replay one by one, up to the first that fails. `onStep` is called after each. */
export async function play(
  playing: Playing,
  { replay, lineOfStep }: ReadReplay,
  values: Values,
  onStep: (step: PlayedStep) => void,
): Promise<Played> {
  const { nowMs } = playing;
  const { steps: all, device: recorded } = replay;
  const played: PlayedStep[] = [];
  let screen: ScreenSize | undefined;
  let result: Pick<Played, 'difference'> = {};
  for (const [at, step] of all.entries()) {
    const known = { number: at + 1, line: lineOfStep(at), step };
    if (result.difference !== undefined) {
      played.push({ ...known, state: 'skipped', durationMs: 0 });
      continue;
    }
    const beganMs = nowMs();
    let own = filled(step, values);
    // The screen may be turned by any step, and is read for a step with points that follows.
    const next = all[at + 1];
    const end = await endOf(playing, async () => {
      if (screen === undefined && hasPoints(step)) screen = await screenOf(playing);
      if (screen !== undefined) own = scaledStep(own, recorded, screen);
      return playStep(playing, own, { withScreen: next !== undefined && hasPoints(next) });
    });
    screen = end.screen;
    const done: PlayedStep = { ...known, state: end.failed ? 'failed' : 'passed', durationMs: nowMs() - beganMs };
    played.push(done);
    if (end.failed !== undefined) {
      const mask = maskOf(values, all);
      result = { difference: await describeDifference(playing, { shown: step, filled: own }, end.failed, mask) };
    }
    onStep(done);
  }
  return { steps: played, ...result };
}

/** Does a step. A request that failed is how the step ended, so that the report has it. */
async function endOf({ signal }: Playing, doStep: () => Promise<StepEnd>): Promise<StepEnd> {
  try {
    return await doStep();
  } catch (error) {
    if (signal.aborted || !(error instanceof CloudPhoneError)) throw error;
    const { kind, message } = error;
    return { screen: undefined, failed: { kind, message, isDifference: false, isExpectation: false } };
  }
}

async function screenOf({ phone, device, signal }: Playing): Promise<ScreenSize> {
  const query = { screenshot: 'none', elements: 'compact' } as const;
  const { observation } = await phone.get('/v1/devices/{name}/observe', {
    params: { path: { name: device }, query },
    signal,
  });
  return observation.screen;
}
