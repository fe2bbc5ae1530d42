import type { Call } from '../../kit/call.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { planInput, type RawEvent } from './plan-input.js';
import { assertOnScreen } from './screen-bounds.js';
import { sendCommand } from './send-command.js';

/** Sends raw events in order; all are checked before the first is sent. Returns how many there were. */
export async function sendInput(call: Call, session: PhoneSession, events: readonly RawEvent[]): Promise<number> {
  const { batches, points } = planInput(events);
  await assertOnScreen(call, session, points);
  for (const { commands, waitMs } of batches) {
    if (commands.length > 0) await sendCommand(call, session, commands.join(' && '), 'take the input');
    if (waitMs > 0) await session.clock.sleep(waitMs, call.signal);
  }
  return events.length;
}
