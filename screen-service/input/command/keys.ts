import { ApiError } from '../../../kit/errors/api-error.js';
import { keyCodes } from '../../../phone/screen/key-codes.js';

/** Names in common use that Android does not have. */
const ALIASES: Readonly<Record<string, string>> = {
  DELETE: 'DEL',
  BACKSPACE: 'DEL',
  ESC: 'ESCAPE',
  RECENTS: 'APP_SWITCH',
};

/** Returns the code of a key, by its name in any case, with or without KEYCODE_. Throws bad_request, naming `field`. */
export function keyCode(name: string, field: string): number {
  const word = name.toUpperCase().replace(/^KEYCODE_/, '');
  const code = keyCodes.get(ALIASES[word] ?? word);
  // 0 is KEYCODE_UNKNOWN.
  if (code !== undefined && code > 0) return code;
  throw new ApiError(
    'bad_request',
    `${field}: ${JSON.stringify(name)} is not a key. Use one of Android's names without KEYCODE_, such as home, back, enter, ` +
      'del, tab, app_switch, volume_up, dpad_down, a or 7.',
  );
}

export const ENTER = 66;
export const DEL = 67;
export const FORWARD_DEL = 112;
export const MOVE_END = 123;
/** Keys that may move a list: arrows, tab, space, page up and down, move home and end. */
export const SCROLLING_KEYS: ReadonlySet<number> = new Set([19, 20, 21, 22, 61, 62, 92, 93, 122, MOVE_END]);
export const POWER = 26;
export const SLEEP = 223;
export const WAKEUP = 224;
