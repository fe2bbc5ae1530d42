import type { Machine } from '../../machine/machine.js';
import type { Intent } from './intent.js';

const EDITOR_GO_CODES = new Set([2, 3, 4, 5, 6]);
const KEYCODE_ENTER = 66;
const KEYCODE_BACK = 4;

/**
 * Handles a broadcast to an input method for automation, which types text that `input text` cannot type. The phone acts as if these input
 * methods were installed and chosen, and Clipper too, which sets and reads the clipboard. Returns the broadcast's result. Undefined means
 * the plain result 0, also for a broadcast that is for none of them.
 */
export function handleTextBroadcast(machine: Machine, { action = '', extras }: Intent): string | undefined {
  const { screen } = machine;
  const press = (code: number): void => {
    screen.key({ code, phase: 'down' });
    screen.key({ code, phase: 'up' });
  };
  const type = (text: string): string | undefined =>
    screen.commitText(text) ? undefined : '0, data="no input connection"';
  switch (action) {
    case 'ADB_INPUT_TEXT':
      return type(extras.get('msg') ?? '');
    case 'ADB_INPUT_B64':
      return type(fromBase64(extras.get('msg') ?? ''));
    case 'ADB_INPUT_CHARS':
      return type(String.fromCodePoint(...(extras.get('chars') ?? '').split(',').map(Number).filter(isCodePoint)));
    case 'ADB_INPUT_CODE':
      press(Number(extras.get('code') ?? 0));
      return undefined;
    case 'ADB_EDITOR_CODE':
      if (EDITOR_GO_CODES.has(Number(extras.get('code')))) press(KEYCODE_ENTER);
      return undefined;
    case 'ADB_CLEAR_TEXT':
      screen.clearText();
      return undefined;
    case 'ADB_KEYBOARD_SET_TEXT':
    case 'ADB_KEYBOARD_INPUT_TEXT':
      if (action === 'ADB_KEYBOARD_SET_TEXT') screen.clearText();
      return resultOf(screen.commitText(fromBase64(extras.get('text') ?? '')));
    case 'ADB_KEYBOARD_CLEAR_TEXT':
      return resultOf(screen.clearText());
    case 'ADB_KEYBOARD_SMART_ENTER':
    case 'ADB_KEYBOARD_EDITOR_CODE':
      press(KEYCODE_ENTER);
      return resultOf(true);
    case 'ADB_KEYBOARD_HIDE':
      if (screen.keyboardShown) press(KEYCODE_BACK);
      return resultOf(true);
    case 'clipper.set':
      screen.clipboard = extras.get('text') ?? '';
      return '-1, data="Text is copied into clipboard."';
    case 'clipper.get':
      return `${screen.clipboard === '' ? 0 : -1}, data="${screen.clipboard}"`;
    default:
      return undefined;
  }
}

/** Returns the broadcast's result in the form of uiautomator2's input method. */
function resultOf(worked: boolean): string {
  return worked ? '-1, data="success"' : '0, data="no input connection"';
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

function isCodePoint(code: number): boolean {
  return Number.isInteger(code) && code > 0 && code <= 0x10ffff;
}
