import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { groupSteps, MAX_GROUP_STEPS } from './group-steps.js';
import { openReplay } from './open-replay.js';
import { hasPoints } from './scaled-step.js';
import { valuesOf } from './values.js';

/** Returns the body of a group or a schedule with the steps of `--replay`, after those that it has. Without `--replay`: the body as it is. */
export async function withReplay<T extends { steps?: unknown }>(invocation: Invocation, body: T): Promise<T> {
  const { options, terminal } = invocation;
  const file = options.text('replay');
  if (file === undefined) {
    for (const name of ['var', 'var-file'])
      if (options.text(name) !== undefined || options.texts(name).length > 0)
        throw new UsageError(`--${name} needs --replay FILE, whose variables it fills.`);
    return body;
  }
  const { replay } = await openReplay(file, terminal);
  const values = await valuesOf(invocation, file, replay);
  if (replay.steps.some(hasPoints))
    terminal.note(`cloudphone: ${file} has steps that go by places. On phones with another screen they may miss.`);
  const own = Array.isArray(body.steps) ? (body.steps as unknown[]) : [];
  return { ...body, steps: [...own, ...groupSteps(replay, values, { file, maxSteps: MAX_GROUP_STEPS - own.length })] };
}
