import type { Call } from '../../kit/call/call.js';
import type { TouchedPhone } from './touched-phone.js';
import { type InputStep, planInput, type RawEvent } from './plan-input.js';
import { assertOnScreen } from './screen-bounds.js';
import { sendCommand } from './command/send-command.js';
import type { HeldFingers } from './touch/fingers.js';
import { assertTypable, typeText } from './type-text.js';

/**
 * A finger that waits this long between its last move and going up is meant to rest, so that it has no speed, ms. Flings wait for less than
 * 40 ms (AOSP, VelocityTracker).
 */
const MIN_REST_MS = 100;

/** How long such a finger rests at least once the phone has its way, ms. */
const STILL_MS = 50;

/**
 * Sends raw events in order, after all of them are checked. Returns the number of events. `holder` owns the fingers that stay on the screen
 * afterwards: only a later call of the same holder moves or lifts them. Throws busy while fingers of another holder are on the screen.
 *
 * `isStream`: the next call must not be late. So this call returns before the phone has taken touches of a gesture that goes on. `screen`:
 * the size of the screen as it is turned now, where the caller knows it.
 */
export async function sendInput(
  call: Call,
  phoneSession: TouchedPhone,
  events: readonly RawEvent[],
  holder: string,
  { isStream = false, screen }: { isStream?: boolean; screen?: { width: number; height: number } | undefined } = {},
): Promise<number> {
  if (events.some(({ kind }) => kind === 'touch')) {
    await phoneSession.fingers.use(call, holder, async (fingers) => {
      const { steps, points } = planInput(events, fingers);
      await assertOnScreen(call, phoneSession, points, screen);
      await send(call, phoneSession, steps, fingers);
      if (!isStream || fingers.down.size === 0) await fingers.taken();
    });
  } else {
    await send(call, phoneSession, planInput(events).steps, undefined);
  }
  return events.length;
}

/** Lifts the fingers that `holder` has left on the screen. It is called when the holder's connection has ended. */
export function releaseHeld(phoneSession: TouchedPhone, holder: string): Promise<void> {
  return phoneSession.fingers.release(holder);
}

async function send(
  call: Call,
  phoneSession: TouchedPhone,
  steps: readonly InputStep[],
  fingers: HeldFingers | undefined,
): Promise<void> {
  // A text that stands alone is checked when it is typed. A text among other events is checked before the first of them is sent.
  if (steps.length > 1) {
    for (const step of steps) if (step.kind === 'text') await assertTypable(call, phoneSession, step.text, step.field);
  }
  for (const [at, step] of steps.entries()) {
    call.signal.throwIfAborted();
    if (step.kind === 'keys' || step.kind === 'text') await fingers?.taken();
    if (step.kind === 'touches') await fingers?.touch(step.touches, step.atMs);
    else if (step.kind === 'keys') await sendCommand(call, phoneSession, step.commands.join(' && '), 'take the input');
    else if (step.kind === 'text') await typeText(call, phoneSession, step.text, { field: step.field });
    else {
      const { clock } = phoneSession;
      const untilMs = clock.monotonicMs() + step.ms;
      const isRest = step.ms >= MIN_REST_MS && isMoved(steps[at - 1]) && isLifted(steps[at + 1]);
      // On the phone a finger rests only from when its way has arrived, which may be late.
      if (isRest) await fingers?.taken();
      await clock.sleep(isRest ? Math.max(STILL_MS, untilMs - clock.monotonicMs()) : step.ms, call.signal);
    }
  }
}

function isMoved(step: InputStep | undefined): boolean {
  return step?.kind === 'touches' && step.touches.at(-1)?.phase === 'move';
}

function isLifted(step: InputStep | undefined): boolean {
  return step?.kind === 'touches' && step.touches[0]?.phase === 'up';
}
