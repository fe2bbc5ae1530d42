/**
 * The phone's names of keys that write nothing, by `KeyboardEvent.key`. Tab is not among them, as people leave the screen with that key.
 */
const KEYS: Record<string, string> = {
  Enter: 'ENTER',
  Backspace: 'DEL',
  Delete: 'FORWARD_DEL',
  Escape: 'BACK',
  ArrowUp: 'DPAD_UP',
  ArrowDown: 'DPAD_DOWN',
  ArrowLeft: 'DPAD_LEFT',
  ArrowRight: 'DPAD_RIGHT',
  Home: 'MOVE_HOME',
  End: 'MOVE_END',
  PageUp: 'PAGE_UP',
  PageDown: 'PAGE_DOWN',
};

/** Letters that go to the phone when they are pressed with Ctrl or Cmd: select all, copy, cut, undo. A paste comes as text. */
const SHORTCUTS = ['a', 'c', 'x', 'z'];

/** Returns the letter of a shortcut for the phone; undefined when the shortcut is for the browser. */
export function shortcutOf({ key, ctrlKey, metaKey, altKey, shiftKey }: ShortcutKeys): string | undefined {
  const letter = key.toLowerCase();
  return (ctrlKey || metaKey) && !altKey && !shiftKey && SHORTCUTS.includes(letter) ? letter : undefined;
}

type ShortcutKeys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Returns the phone's key for a key of the keyboard that writes nothing; undefined when there is none. */
export function namedKey(key: string): string | undefined {
  return KEYS[key];
}
