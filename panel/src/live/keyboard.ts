/** Keys of a keyboard that phones have by name, by `KeyboardEvent.key`. Not Tab, by which people leave the screen. */
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

/** Letters that Ctrl or Cmd and a key send to the phone: select all, copy, cut, undo. Pasting comes as text. */
const SHORTCUTS = ['a', 'c', 'x', 'z'];

/** The letter of a shortcut for the phone; undefined when it is the browser's. */
export function shortcutOf({ key, ctrlKey, metaKey, altKey, shiftKey }: ShortcutKeys): string | undefined {
  const letter = key.toLowerCase();
  return (ctrlKey || metaKey) && !altKey && !shiftKey && SHORTCUTS.includes(letter) ? letter : undefined;
}

type ShortcutKeys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** The phone's key for a key of the keyboard that writes nothing; undefined when there is none. */
export function namedKey(key: string): string | undefined {
  return KEYS[key];
}
