import type { PhoneSession } from '../phones/phone-session.js';
import { planInput, type RawEvent } from './plan-input.js';
import { assertOnScreen } from './screen-bounds.js';
import { sendCommand } from './send-command.js';

/** Sends raw events in order; all are checked before the first is sent. Answers how many there were. */
export async function sendInput(
  session: PhoneSession,
  events: readonly RawEvent[],
  signal: AbortSignal,
): Promise<number> {
  const { batches, points } = planInput(events);
  await assertOnScreen(session, points);
  for (const { commands, waitMs } of batches) {
    if (commands.length > 0) await sendCommand(session, commands.join(' && '), { doing: 'take the input', signal });
    if (waitMs > 0) await session.clock.sleep(waitMs, signal);
  }
  return events.length;
}
