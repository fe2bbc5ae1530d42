import type { Call } from '../../kit/call/call.js';
import type { TouchedPhone } from './touched-phone.js';
import { roleOf } from '../tree/role.js';
import type { UiNode } from '../shapes/ui-node.js';
import { keyCommand } from './command/gestures.js';
import { DEL, FORWARD_DEL, MOVE_END } from './command/keys.js';
import { sendCommand } from './command/send-command.js';

/** Deletions in one command; with more, slow phones lose some. */
const DELETES_IN_ONE = 24;

/** Deletions when the field's length is not known. */
const DELETES_UNKNOWN = 120;

/** Deletes all text of the focused field key by key, from the end. */
export async function clearByKeys(call: Call, phoneSession: TouchedPhone): Promise<void> {
  const { tree } = await phoneSession.trees.next(call);
  const text = tree === undefined ? undefined : focusedField(tree.roots)?.text;
  const length = text === undefined ? DELETES_UNKNOWN : Array.from(text).length;
  // The end key leads to the end of a line only: in a field of several lines there may be text on both sides.
  const keys = text?.includes('\n') === true ? [FORWARD_DEL, DEL] : [DEL];
  const commands = [keyCommand(MOVE_END)];
  for (const key of keys) {
    for (let left = length; left > 0; left -= DELETES_IN_ONE) {
      commands.push(keyCommand(...Array.from({ length: Math.min(left, DELETES_IN_ONE) }, () => key)));
    }
  }
  await sendCommand(call, phoneSession, commands.join(' && '), 'clear the field');
}

function focusedField(roots: readonly UiNode[]): UiNode | undefined {
  const waiting = [...roots];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.focused && roleOf(node) === 'textfield') return node;
    waiting.push(...node.children);
  }
  return undefined;
}
