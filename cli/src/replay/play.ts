import { CloudPhoneError } from '../../../client/src/errors.js';
import type { ReplayStep } from '../../../replay/format/replay.js';
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
    if (screen === undefined && hasPoints(step)) screen = await screenOf(playing);
    const own = filled(screen === undefined ? step : scaledStep(step, recorded, screen), values);
    // The screen may be turned by any step, and is read for a step with points that follows.
    const next = all[at + 1];
    const end = await endOf(playing, own, { withScreen: next !== undefined && hasPoints(next) });
    screen = end.screen;
    const done: PlayedStep = { ...known, state: end.failed ? 'failed' : 'passed', durationMs: nowMs() - beganMs };
    played.push(done);
    if (end.failed !== undefined) {
      const mask = maskOf(values);
      result = { difference: await describeDifference(playing, { shown: step, filled: own }, end.failed, mask) };
    }
    onStep(done);
  }
  return { steps: played, ...result };
}

/** Plays a step. A request that failed is how the step ended, so that the report has it. */
async function endOf(playing: Playing, step: ReplayStep, options: { withScreen: boolean }): Promise<StepEnd> {
  try {
    return await playStep(playing, step, options);
  } catch (error) {
    if (playing.signal.aborted || !(error instanceof CloudPhoneError)) throw error;
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
