import type { Call } from '../../kit/call.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { type InputStep, planInput, type RawEvent } from './plan-input.js';
import { assertOnScreen } from './screen-bounds.js';
import { sendCommand } from './send-command.js';
import type { HeldFingers } from './touch/fingers.js';
import { assertTypable, typeText } from './type-text.js';

/**
 * Sends raw events in order; all are checked before the first is sent. Returns how many there were. `holder` owns the
 * fingers that stay on the screen afterwards: only a later call of the same holder moves or lifts them. Throws busy while another
 * holder's are there. `isStream`: the call after this one must not be late, so it returns before the phone has taken touches of a gesture
 * that goes on. `screen`: as it is turned now, where the caller knows it.
 */
export async function sendInput(
  call: Call,
  kept: KeptPhone,
  events: readonly RawEvent[],
  holder: string,
  { isStream = false, screen }: { isStream?: boolean; screen?: { width: number; height: number } | undefined } = {},
): Promise<number> {
  if (events.some(({ kind }) => kind === 'touch')) {
    await kept.fingers.use(call, holder, async (fingers) => {
      const { steps, points } = planInput(events, fingers);
      await assertOnScreen(call, kept, points, screen);
      await send(call, kept, steps, fingers);
      if (!isStream || fingers.down.size === 0) await fingers.taken();
    });
  } else {
    await send(call, kept, planInput(events).steps, undefined);
  }
  return events.length;
}

/** Lifts the fingers that `holder` has left on the screen: its connection has ended. */
export function releaseHeld(kept: KeptPhone, holder: string): Promise<void> {
  return kept.fingers.release(holder);
}

async function send(
  call: Call,
  kept: KeptPhone,
  steps: readonly InputStep[],
  fingers: HeldFingers | undefined,
): Promise<void> {
  // A text alone is refused by itself; beside other events before the first of these.
  if (steps.length > 1) {
    for (const step of steps) if (step.kind === 'text') await assertTypable(call, kept, step.text, step.field);
  }
  for (const step of steps) {
    call.signal.throwIfAborted();
    if (step.kind === 'keys' || step.kind === 'text') await fingers?.taken();
    if (step.kind === 'touches') await fingers?.touch(step.touches, step.atMs);
    else if (step.kind === 'keys') await sendCommand(call, kept, step.commands.join(' && '), 'take the input');
    else if (step.kind === 'text') await typeText(call, kept, step.text, { field: step.field });
    else await kept.clock.sleep(step.ms, call.signal);
  }
}
