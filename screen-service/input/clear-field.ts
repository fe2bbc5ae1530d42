import type { Call } from '../../kit/call.js';
import type { PhoneSession } from '../phones/phone-session.js';
import type { UiNode } from '../tree/ui-node.js';
import { keyCommand } from './gestures.js';
import { DEL, MOVE_END } from './keys.js';
import { sendCommand } from './send-command.js';
import { withTextIme } from './text-ime.js';

/** Deleted in one command; more lose some on slow phones. */
const DELETES_IN_ONE = 24;

/** Deleted when the field's length is not known. */
const DELETES_UNKNOWN = 120;

/** Deletes all text of the focused field: through the text input method if the phone has it, else key by key from the end. */
export async function clearField(call: Call, session: PhoneSession): Promise<void> {
  const clear = async (): Promise<void> => {
    await sendCommand(call, session, 'am broadcast -a ADB_CLEAR_TEXT', 'clear the field');
  };
  if (await withTextIme(call, session, clear)) return;
  const { tree } = await session.trees.next(call);
  const field = tree === undefined ? undefined : focusedField(tree.roots);
  const length = field === undefined ? DELETES_UNKNOWN : Array.from(field.text).length;
  const commands = [keyCommand(MOVE_END)];
  for (let left = length; left > 0; left -= DELETES_IN_ONE) {
    commands.push(keyCommand(...Array.from({ length: Math.min(left, DELETES_IN_ONE) }, () => DEL)));
  }
  await sendCommand(call, session, commands.join(' && '), 'clear the field');
}

function focusedField(roots: readonly UiNode[]): UiNode | undefined {
  const waiting = [...roots];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.focused && (node.password || node.className.endsWith('EditText'))) return node;
    waiting.push(...node.children);
  }
  return undefined;
}
