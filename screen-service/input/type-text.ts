import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { clearByKeys } from './clear-field.js';
import { keyCommand } from './gestures.js';
import { ENTER } from './keys.js';
import { readTextIme, withTextIme } from './text-ime.js';
import { sendCommand } from './send-command.js';

/** Longest text in one command, characters; long ones lose some on slow phones, and command lines have an end. */
const ASCII_CHUNK = 200;
const UNICODE_CHUNK = 1_000;

/** Commands in one go to the phone. */
const COMMANDS_IN_ONE = 20;

/**
 * Types into the focused field, which is cleared first when `clear` is set (`field`: place of the text in the request). Printable
 * ASCII goes through `input text`, anything else through the text input method (ADB_INPUT_B64), if the phone has one; line feeds press
 * Enter. The text appears in no log and no error.
 */
export async function typeText(
  call: Call,
  kept: KeptPhone,
  text: string,
  { clear = false, field }: { clear?: boolean; field: string },
): Promise<void> {
  kept.typedMs = kept.clock.now();
  const lines = linesOf(text);
  const commands: string[] = [];
  const unicode = !lines.every(isPlain);
  lines.forEach((line, at) => {
    if (at > 0) commands.push(keyCommand(ENTER));
    commands.push(...(isPlain(line) ? plainCommands(line) : imeCommands(line)));
  });
  const send = async (): Promise<void> => {
    for (let at = 0; at < commands.length; at += COMMANDS_IN_ONE) {
      await sendCommand(call, kept, commands.slice(at, at + COMMANDS_IN_ONE).join(' && '), 'type text');
    }
  };
  if (!unicode && !clear) return (await typeByControl(kept, lines)) ? undefined : send();
  const isDone = await withTextIme(call, kept, async () => {
    if (clear) await sendCommand(call, kept, 'am broadcast -a ADB_CLEAR_TEXT', 'clear the field');
    await send();
  });
  if (isDone) return;
  if (unicode) throw notTypable(field);
  await clearByKeys(call, kept);
  await send();
}

/** Most characters of a message: the server takes no more. */
const CONTROL_CHUNK = 300;

/** Types printable ASCII through the control socket of the video, without a process on the phone. False: there is none now. */
async function typeByControl(kept: KeptPhone, lines: readonly string[]): Promise<boolean> {
  const { control } = kept.video;
  if (control === undefined) return false;
  kept.inputSentMs = kept.clock.monotonicMs();
  for (const [at, line] of lines.entries()) {
    if (at > 0) control.pressEnter();
    for (let from = 0; from < line.length; from += CONTROL_CHUNK) control.text(line.slice(from, from + CONTROL_CHUNK));
  }
  await control.taken();
  return true;
}

/** Throws bad_request when the phone cannot type the text. */
export async function assertTypable(call: Call, kept: KeptPhone, text: string, field: string): Promise<void> {
  if (!linesOf(text).every(isPlain) && (await readTextIme(call, kept)) === undefined) throw notTypable(field);
}

function notTypable(field: string): ApiError {
  return new ApiError(
    'bad_request',
    `${field}: this phone types printable ASCII only. Install an input method that takes ADB_INPUT_B64 (ADBKeyBoard) for other ` +
      'characters.',
  );
}

function linesOf(text: string): string[] {
  return text.replaceAll('\r\n', '\n').split('\n');
}

function isPlain(line: string): boolean {
  return /^[\x20-\x7e]*$/.test(line);
}

/** `input text` reads %s as a blank, so a literal %s is typed in two pieces and blanks go as %s. */
function plainCommands(line: string): string[] {
  const commands: string[] = [];
  for (const piece of line.split(/(?<=%)(?=s)/)) {
    for (let at = 0; at < piece.length; at += ASCII_CHUNK) {
      const chunk = piece.slice(at, at + ASCII_CHUNK);
      commands.push(`input text ${shellQuote(chunk.replaceAll(' ', '%s'))}`);
    }
  }
  return commands;
}

function imeCommands(line: string): string[] {
  const commands: string[] = [];
  // By characters, not by UTF-16 units: half an emoji is none.
  const characters = Array.from(line);
  for (let at = 0; at < characters.length; at += UNICODE_CHUNK) {
    const chunk = Buffer.from(characters.slice(at, at + UNICODE_CHUNK).join('')).toString('base64');
    commands.push(`am broadcast -a ADB_INPUT_B64 --es msg ${chunk}`);
  }
  return commands;
}
