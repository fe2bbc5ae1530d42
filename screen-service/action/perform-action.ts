import type { Call } from '../../kit/call/call.js';
import { findAllByWords } from '../act/find-target.js';
import { press, sendUnlessMoved } from '../act/press.js';
import { beginStep } from '../act/step-context.js';
import { wakeDisplay } from '../app/wake-display.js';
import { openApp } from '../app/open-app.js';
import { tapCommand } from '../input/command/gestures.js';
import { assertOnScreen } from '../input/screen-bounds.js';
import { sendCommand } from '../input/command/send-command.js';
import { typeText } from '../input/type-text.js';
import type { LastObservation } from '../observe/last-observations.js';
import type { PhoneSession } from '../phones/phone-session.js';
import type { ScreenElement } from '../tree/elements.js';
import { tapPoint } from '../tree/tap-point.js';
import { matchingWords } from '../tree/find-words.js';
import { centerOf, type Point, type Rectangle } from '../shapes/rectangle.js';

export type Action =
  | { kind: 'open_app'; app: string }
  | { kind: 'tap'; target: Point | { text: string } }
  | { kind: 'type'; text: string }
  | { kind: 'find_text'; text: string; exact: boolean };

/** An element that was found by a text. */
export interface TextMatch {
  text: string;
  bounds: Rectangle;
  center: Point;
}

/**
 * Performs one simple action, without waiting for the screen to settle. A display that is off is turned on first, except for `find_text`.
 * Texts are found as `act` finds its targets. Returns the elements that were found or tapped by text.
 */
export async function performAction(
  call: Call,
  phoneSession: PhoneSession,
  action: Action,
  lastObservation: LastObservation,
): Promise<TextMatch[]> {
  if (action.kind === 'find_text') {
    const { text, exact } = action;
    const found = await findAllByWords(call, phoneSession, { text, field: 'find_text.text', exact });
    return found.map((element) => matchOf(element, text, centerOf(element.bounds)));
  }
  if (action.kind === 'tap' && 'x' in action.target) {
    await assertOnScreen(call, phoneSession, [{ ...action.target, field: 'tap' }]);
  }
  await wakeDisplay(call, phoneSession);
  switch (action.kind) {
    case 'open_app':
      await openApp(call, phoneSession, action.app);
      return [];
    case 'type':
      await typeText(call, phoneSession, action.text, { field: 'type.text' });
      return [];
    case 'tap': {
      const { target } = action;
      if ('x' in target) {
        await sendCommand(call, phoneSession, tapCommand(target), 'tap');
        return [];
      }
      const words = { text: target.text, role: undefined, field: 'tap.text' };
      const context = {
        lastObservation,
        secrets: [],
        typedSecrets: [],
        untilMs: Infinity,
        waitMs: 0,
        progress: beginStep(lastObservation),
      };
      const tapped = await press(call, phoneSession, words, context, (found, point) =>
        sendUnlessMoved(call, phoneSession, found, tapCommand(point), 'tap'),
      );
      return [matchOf(tapped.element, target.text, tapPoint(tapped.element, tapped.elements))];
    }
  }
}

function matchOf(element: ScreenElement, text: string, center: Point): TextMatch {
  return { text: matchingWords(element, text), bounds: element.bounds, center };
}
