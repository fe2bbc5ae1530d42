import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { openApp } from '../app/open-app.js';
import { tapCommand } from '../input/gestures.js';
import { assertOnScreen } from '../input/screen-bounds.js';
import { sendCommand } from '../input/send-command.js';
import { typeText } from '../input/type-text.js';
import { contentOf } from '../observe/observe.js';
import { readScreen } from '../observe/read-screen.js';
import type { PhoneSession } from '../phones/phone-session.js';
import type { TextSpot } from '../tree/elements.js';
import { findText } from '../tree/find-text.js';
import { centerOf, type Point } from '../tree/rectangle.js';

export type Action =
  | { kind: 'open_app'; app: string }
  | { kind: 'tap'; target: Point | { text: string } }
  | { kind: 'type'; text: string }
  | { kind: 'find_text'; text: string; exact: boolean };

/** One simple action, without waiting for the screen to settle. Returns the elements found or tapped. */
export async function performAction(call: Call, session: PhoneSession, action: Action): Promise<TextSpot[]> {
  switch (action.kind) {
    case 'open_app':
      await openApp(call, session, action.app);
      return [];
    case 'type':
      await typeText(call, session, action.text, { field: 'type.text' });
      return [];
    case 'find_text':
      return findText(await textsOnScreen(call, session), action.text, { exact: action.exact });
    case 'tap': {
      const { target } = action;
      if (!('text' in target)) {
        await assertOnScreen(call, session, [{ ...target, field: 'tap' }]);
        await sendCommand(call, session, tapCommand(target), 'tap');
        return [];
      }
      const [spot] = findText(await textsOnScreen(call, session), target.text, { exact: false });
      if (spot === undefined) {
        throw new ApiError('not_found', `tap.text: ${JSON.stringify(target.text)} is not on the screen.`);
      }
      await sendCommand(call, session, tapCommand(centerOf(spot.bounds)), 'tap');
      return [spot];
    }
  }
}

async function textsOnScreen(call: Call, session: PhoneSession): Promise<TextSpot[]> {
  const { frame, dump } = await readScreen(call, session);
  if (dump.tree !== undefined) return contentOf(dump.tree, frame.pixels, session).texts;
  throw new ApiError(
    'timeout',
    'The texts on the screen could not be read, as it does not come to rest. Try again, or tap x and y.',
    { retryAfterS: 1 },
  );
}
