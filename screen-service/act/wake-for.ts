import { type Call, withinCall, sentBy } from '../../kit/call/call.js';
import { type Foreground, NO_FOREGROUND } from '../../phone/screen/windows.js';
import { turnDisplayOn, wakeDisplay } from '../app/wake-display.js';
import { readForeground } from '../display/foreground.js';
import { POWER, SLEEP, WAKEUP } from '../input/command/keys.js';
import type { LastObservation } from '../observe/last-observations.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { unlessItFails } from './optional-work.js';
import { hasElementTarget, type StepAction } from './step.js';

/** Keys that change the display itself, so that it is not turned on before them. */
const DISPLAY_KEYS: readonly number[] = [POWER, SLEEP, WAKEUP];

/**
 * Turns the display on where it is off, as the phone would otherwise ignore the steps. The display is left as it is when the first step is
 * a key of `DISPLAY_KEYS`.
 *
 * Returns the app in front when the first step has an element as its target and the display was on. A later reading would leave time in
 * which the screen may change between the picture and the touch.
 */
export async function wakeFor(
  call: Call,
  phoneSession: ReachedPhone,
  first: StepAction | undefined,
  { timeoutMs, lastObservation }: { timeoutMs: number; lastObservation: LastObservation },
): Promise<Foreground | undefined> {
  if (first?.kind === 'key' && first.codes.some((code) => DISPLAY_KEYS.includes(code))) return undefined;
  const wake = async (limited: Call): Promise<Foreground | undefined> => {
    const isNeeded = first !== undefined && hasElementTarget(first);
    const front = isNeeded ? await readForeground(limited, phoneSession) : NO_FOREGROUND;
    // Where the app in front was not read, or the phone names none, the state of the display is not known either.
    if (front === NO_FOREGROUND) await wakeDisplay(limited, phoneSession);
    else if (front.isDisplayOff) await turnDisplayOn(limited, phoneSession);
    else return front;
    return undefined;
  };
  const own = sentBy(call, { by: lastObservation, sent: 0 });
  return withinCall(own, { clock: phoneSession.clock, timeoutMs }, (limited) =>
    unlessItFails(call, phoneSession, wake(limited)),
  );
}
