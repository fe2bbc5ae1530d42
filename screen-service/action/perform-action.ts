import type { Call } from '../../kit/call.js';
import { findAllByWords, findTarget } from '../act/find-target.js';
import { wakeDisplay } from '../app/display.js';
import { openApp } from '../app/open-app.js';
import { tapCommand } from '../input/gestures.js';
import { assertOnScreen } from '../input/screen-bounds.js';
import { sendCommand } from '../input/send-command.js';
import { typeText } from '../input/type-text.js';
import type { Sight } from '../observe/latest-observations.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import type { ScreenElement } from '../tree/elements.js';
import { tapPoint } from '../tree/tap-point.js';
import { matchingWords } from '../tree/find-words.js';
import { centerOf, type Point, type Rectangle } from '../tree/rectangle.js';

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
 * One simple action, without waiting for the screen to settle; on a display that was off, it is turned on before. Texts are found as `act`
 * finds its targets. Returns the elements found or tapped.
 */
export async function performAction(call: Call, kept: KeptPhone, action: Action, sight: Sight): Promise<TextMatch[]> {
  if (action.kind === 'find_text') {
    const { text, exact } = action;
    const found = await findAllByWords(call, kept, { text, field: 'find_text.text', exact });
    return found.map((element) => matchOf(element, text, centerOf(element.bounds)));
  }
  if (action.kind === 'tap' && 'x' in action.target) {
    await assertOnScreen(call, kept, [{ ...action.target, field: 'tap' }]);
  }
  await wakeDisplay(call, kept);
  switch (action.kind) {
    case 'open_app':
      await openApp(call, kept, action.app);
      return [];
    case 'type':
      await typeText(call, kept, action.text, { field: 'type.text' });
      return [];
    case 'tap': {
      const { target } = action;
      if ('x' in target) {
        await sendCommand(call, kept, tapCommand(target), 'tap');
        return [];
      }
      const words = { text: target.text, role: undefined, field: 'tap.text' };
      const { element, elements } = await findTarget(call, kept, words, { sight, untilMs: Infinity });
      const point = tapPoint(element, elements);
      await sendCommand(call, kept, tapCommand(point), 'tap');
      return [matchOf(element, target.text, point)];
    }
  }
}

function matchOf(element: ScreenElement, text: string, center: Point): TextMatch {
  return { text: matchingWords(element, text), bounds: element.bounds, center };
}
