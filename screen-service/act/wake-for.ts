import { type Call, during } from '../../kit/call.js';
import { type Foreground, NO_FOREGROUND } from '../../phone/screen/windows.js';
import { turnDisplayOn, wakeDisplay } from '../app/display.js';
import { readForeground } from '../app/foreground.js';
import { POWER, SLEEP, WAKEUP } from '../input/keys.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { unlessItFails } from './optional-work.js';
import { hasElementTarget, type StepAction } from './step.js';

/** Keys that a display which is off is to get as it is. */
const DISPLAY_KEYS: readonly number[] = [POWER, SLEEP, WAKEUP];

/**
 * Turns a display on that is off, as the phone would ignore the steps. Not for a key that is about the display itself. Returns the app in
 * front where the first step compares it: read later, it would lie between the picture and the touch, when the screen may change.
 */
export async function wakeFor(
  call: Call,
  kept: KeptPhone,
  first: StepAction | undefined,
  timeoutMs: number,
): Promise<Foreground | undefined> {
  if (first?.kind === 'key' && first.codes.some((code) => DISPLAY_KEYS.includes(code))) return undefined;
  const wake = async (limited: Call): Promise<Foreground | undefined> => {
    const isNeeded = first !== undefined && hasElementTarget(first);
    const front = isNeeded ? await readForeground(limited, kept) : NO_FOREGROUND;
    // A phone that names no window does not report its display there, either.
    if (front === NO_FOREGROUND) await wakeDisplay(limited, kept);
    else if (front.isDisplayOff) await turnDisplayOn(limited, kept);
    else return front;
    return undefined;
  };
  return during(call, { clock: kept.clock, timeoutMs }, (limited) => unlessItFails(call, kept, wake(limited)));
}
