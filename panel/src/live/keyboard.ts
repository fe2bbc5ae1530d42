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

/** The phone's key for a key of the keyboard that writes nothing; undefined when there is none. */
export function namedKey(key: string): string | undefined {
  return KEYS[key];
}
