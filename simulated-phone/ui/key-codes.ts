/** Android key codes (KeyEvent.KEYCODE_*) that this phone acts on. */
export const KEY = {
  HOME: 3,
  BACK: 4,
  DPAD_UP: 19,
  DPAD_DOWN: 20,
  DPAD_LEFT: 21,
  DPAD_RIGHT: 22,
  DPAD_CENTER: 23,
  VOLUME_UP: 24,
  VOLUME_DOWN: 25,
  POWER: 26,
  ALT_LEFT: 57,
  ALT_RIGHT: 58,
  SHIFT_LEFT: 59,
  SHIFT_RIGHT: 60,
  TAB: 61,
  SPACE: 62,
  ENTER: 66,
  DEL: 67,
  NOTIFICATION: 83,
  SEARCH: 84,
  PAGE_UP: 92,
  PAGE_DOWN: 93,
  ESCAPE: 111,
  FORWARD_DEL: 112,
  CTRL_LEFT: 113,
  CTRL_RIGHT: 114,
  CAPS_LOCK: 115,
  MOVE_HOME: 122,
  MOVE_END: 123,
  NUMPAD_ENTER: 160,
  VOLUME_MUTE: 164,
  APP_SWITCH: 187,
  SLEEP: 223,
  WAKEUP: 224,
  CUT: 277,
  COPY: 278,
  PASTE: 279,
} as const;

const SHIFTED_DIGITS = ')!@#$%^&*(';

/** The characters of codes without and with shift, on the US layout that Android's virtual key map has. */
const SIGNS: Readonly<Record<number, readonly [plain: string, shifted: string]>> = {
  17: ['*', '*'],
  18: ['#', '#'],
  55: [',', '<'],
  56: ['.', '>'],
  62: [' ', ' '],
  68: ['`', '~'],
  69: ['-', '_'],
  70: ['=', '+'],
  71: ['[', '{'],
  72: [']', '}'],
  73: ['\\', '|'],
  74: [';', ':'],
  75: ["'", '"'],
  76: ['/', '?'],
  77: ['@', '@'],
  81: ['+', '+'],
  154: ['/', '/'],
  155: ['*', '*'],
  156: ['-', '-'],
  157: ['+', '+'],
  158: ['.', '.'],
  159: [',', ','],
  161: ['=', '='],
};

/** Returns the character that a key types; undefined for keys that type none. */
export function characterOf(code: number, shift: boolean): string | undefined {
  if (code >= 29 && code <= 54) {
    const letter = String.fromCharCode(97 + code - 29);
    return shift ? letter.toUpperCase() : letter;
  }
  if (code >= 7 && code <= 16) return shift ? SHIFTED_DIGITS[code - 7] : String(code - 7);
  if (code >= 144 && code <= 153) return String(code - 144);
  return SIGNS[code]?.[shift ? 1 : 0];
}
