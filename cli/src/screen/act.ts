import type { Invocation } from '../command/command.js';
import { UsageError } from '../output/usage-error.js';
import { STATUS, statusOfKind } from '../output/failure.js';
import { plainLine } from '../output/plain-text.js';
import { print } from '../command/print.js';
import { openService } from '../service/connection.js';
import type { Step } from '../service/types.js';
import { screenText } from './observe.js';

const MAX_STEPS = 20;

export async function run(invocation: Invocation): Promise<number> {
  const [, ...texts] = invocation.words;
  if (texts.length > MAX_STEPS) throw new UsageError(`act: a call has ${MAX_STEPS} steps at the most.`);
  return performSteps(invocation, texts.map(stepOf));
}

/** Acts on a phone, and waits until its screen is still. Returns the exit status: that of the error of the step that failed, or 0. */
export async function performSteps(invocation: Invocation, steps: readonly Step[]): Promise<number> {
  const { words, options, signal, terminal } = invocation;
  const [name = ''] = words;
  const { phone } = openService(invocation);
  const expect = options.text('expect');
  const timeoutMs = options.number('timeout-ms', { min: 100, max: 60_000 });
  const isLast = (at: number): boolean => at === steps.length - 1;
  const body = {
    steps: steps.map((step, at) => (expect !== undefined && isLast(at) ? { ...step, expect: { text: expect } } : step)),
    observe: options.flag('show') ? ('elements' as const) : ('none' as const),
    elements: 'compact' as const,
    screen_on_failure: true,
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
  };
  const result = await phone.post('/v1/devices/{name}/act', { params: { path: { name } }, body, signal });
  const { settled, screen, failed, observation, expect_met: isMet, clipboard } = result;
  // An older service has no warnings.
  const { warnings = [] } = result as Partial<Pick<typeof result, 'warnings'>>;
  const lines = [
    `screen ${screen ?? 'not compared'}${settled ? '' : ', not still in time'}`,
    ...(!isMet && failed === undefined ? [`"${expect ?? ''}" does not show`] : []),
    ...warnings.map((crashed) => `${crashed.package} crashed: ${crashed.reason} (${crashed.crash ?? 'not kept yet'})`),
    ...(clipboard === undefined ? [] : [clipboard]),
  ];
  print(invocation, result, lines.map(plainLine).join('\n') + (observation ? `\n${screenText(observation)}` : ''));
  if (failed !== undefined) {
    if (!options.flag('json')) terminal.note(`cloudphone: ${plainLine(failed.message)}`);
    return statusOfKind(failed.error);
  }
  return isMet ? 0 : STATUS.refused;
}

function stepOf(text: string): Step {
  try {
    const step = JSON.parse(text) as unknown;
    if (typeof step === 'object' && step !== null && !Array.isArray(step)) return step;
  } catch {
    // The error below names the text, which Node's own error does not do in all its versions.
  }
  throw new UsageError(`act: ${text} is not a step. A step is JSON, such as '{"tap": {"text": "Save"}}'.`);
}
