import type { Call } from '../../kit/call.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { type InputStep, planInput, type RawEvent } from './plan-input.js';
import { assertOnScreen } from './screen-bounds.js';
import { sendCommand } from './send-command.js';
import type { HeldFingers } from './touch/fingers.js';
import { assertTypable, typeText } from './type-text.js';

/**
 * Sends raw events in order; all are checked before the first is sent. Returns how many there were. `holder` owns the
 * fingers that stay on the screen afterwards: only a later call of the same holder moves or lifts them. Throws busy while another
 * holder's are there.
 */
export async function sendInput(
  call: Call,
  session: PhoneSession,
  events: readonly RawEvent[],
  holder: string,
): Promise<number> {
  if (events.some(({ kind }) => kind === 'touch')) {
    await session.fingers.use(call, holder, async (fingers) => {
      const { steps, points } = planInput(events, fingers);
      await assertOnScreen(call, session, points);
      await send(call, session, steps, fingers);
    });
  } else {
    await send(call, session, planInput(events).steps, undefined);
  }
  return events.length;
}

/** Lifts the fingers that `holder` has left on the screen: its connection has ended. */
export function releaseHeld(session: PhoneSession, holder: string): Promise<void> {
  return session.fingers.release(holder);
}

async function send(
  call: Call,
  session: PhoneSession,
  steps: readonly InputStep[],
  fingers: HeldFingers | undefined,
): Promise<void> {
  // A text alone is refused by itself; beside other events before the first of these.
  if (steps.length > 1) {
    for (const step of steps) if (step.kind === 'text') await assertTypable(call, session, step.text, step.field);
  }
  for (const step of steps) {
    call.signal.throwIfAborted();
    if (step.kind === 'touches') await fingers?.touch(step.touches);
    else if (step.kind === 'keys') await sendCommand(call, session, step.commands.join(' && '), 'take the input');
    else if (step.kind === 'text') await typeText(call, session, step.text, { field: step.field });
    else await session.clock.sleep(step.ms, call.signal);
  }
}
