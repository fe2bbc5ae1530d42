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

/**
 * The phone's key for a character: letters, digits and the blank, as every phone's keys write them. Undefined for others, which are typed
 * as text, since the characters of further keys depend on the phone's layout.
 */
export function characterKey(character: string): string | undefined {
  if (/^[a-z]$/.test(character)) return character.toUpperCase();
  if (/^[0-9]$/.test(character)) return character;
  return character === ' ' ? 'SPACE' : undefined;
}
