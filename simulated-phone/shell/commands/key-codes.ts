import { keyCodes } from '../../../phone/screen/key-codes.js';

/** `66`, `ENTER` or `KEYCODE_ENTER`. Undefined when there is no such key. */
export function keyCode(word: string): number | undefined {
  if (/^\d+$/.test(word)) return Number(word);
  return keyCodes.get(word.toUpperCase().replace(/^KEYCODE_/, ''));
}
