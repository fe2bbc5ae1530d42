import { type Call, during } from '../../kit/call.js';
import type { Foreground } from '../../phone/screen/windows.js';
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
    if (first === undefined || !hasElementTarget(first)) {
      await wakeDisplay(limited, kept);
      return undefined;
    }
    const front = await readForeground(limited, kept);
    if (!front.isDisplayOff) return front;
    await turnDisplayOn(limited, kept);
    return undefined;
  };
  return during(call, { clock: kept.clock, timeoutMs }, (limited) => unlessItFails(call, kept, wake(limited)));
}
