import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import type { TouchedPhone } from './touched-phone.js';
import { clearByKeys } from './clear-field.js';
import { inputLimit } from './input-limit.js';
import { keyCommand } from './command/gestures.js';
import { ENTER } from './command/keys.js';
import { readTextIme, withTextIme } from './text-ime.js';
import { sendCommand } from './command/send-command.js';

/** The most characters in one command. Slow phones lose characters of long texts, and the length of a command line is limited. */
const ASCII_CHUNK = 200;
const UNICODE_CHUNK = 1_000;

/** The most commands that are sent to the phone together. */
const COMMANDS_IN_ONE = 20;

/**
 * Types into the focused field, which is cleared first when `clear` is set. `field` is the place of the text in the request. Printable
 * ASCII is typed with `input text`. Other characters need the text input method (ADB_INPUT_B64), if the phone has one. Line feeds press
 * Enter. The text appears in no log and no error.
 */
export async function typeText(
  call: Call,
  phoneSession: TouchedPhone,
  text: string,
  { clear = false, field }: { clear?: boolean; field: string },
): Promise<void> {
  const lines = linesOf(text);
  const commands: string[] = [];
  const unicode = !lines.every(isPlain);
  lines.forEach((line, at) => {
    if (at > 0) commands.push(keyCommand(ENTER));
    commands.push(...(isPlain(line) ? plainCommands(line) : imeCommands(line)));
  });
  const send = async (): Promise<void> => {
    for (let at = 0; at < commands.length; at += COMMANDS_IN_ONE) {
      await sendCommand(call, phoneSession, commands.slice(at, at + COMMANDS_IN_ONE).join(' && '), 'type text');
    }
  };
  if (!unicode && !clear) return (await typeByControl(call, phoneSession, lines)) ? undefined : send();
  const isDone = await withTextIme(call, phoneSession, async () => {
    if (clear) await sendCommand(call, phoneSession, 'am broadcast -a ADB_CLEAR_TEXT', 'clear the field');
    await send();
  });
  if (isDone) return;
  if (unicode) throw notTypable(field);
  await clearByKeys(call, phoneSession);
  await send();
}

/** The most characters in one message, because the server accepts no more. */
const CONTROL_CHUNK = 300;

/**
 * Types printable ASCII through the control socket of the video, without a process on the phone. Returns false when there is no control
 * socket.
 */
async function typeByControl(
  call: Pick<Call, 'sender' | 'signal'>,
  phoneSession: TouchedPhone,
  lines: readonly string[],
): Promise<boolean> {
  const { control } = phoneSession.video;
  if (control === undefined) return false;
  phoneSession.inputs.begin(call.sender);
  const limit = inputLimit(phoneSession, call);
  for (const [at, line] of lines.entries()) {
    await control.room(limit);
    if (at > 0) control.pressEnter();
    for (let from = 0; from < line.length; from += CONTROL_CHUNK) {
      await control.room(limit);
      control.text(line.slice(from, from + CONTROL_CHUNK));
    }
  }
  await control.taken();
  return true;
}

/** Checks a text. Throws bad_request when the phone cannot type it. */
export async function assertTypable(
  call: Call,
  phoneSession: ReachedPhone,
  text: string,
  field: string,
): Promise<void> {
  if (!linesOf(text).every(isPlain) && (await readTextIme(call, phoneSession)) === undefined) throw notTypable(field);
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

/**
 * Returns the `input text` commands for a line. `input text` types %s as a blank, so a blank is written as %s. A literal %s is typed in two
 * pieces.
 */
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
  // The line is cut between characters, not between UTF-16 units, because half an emoji cannot be typed.
  const characters = Array.from(line);
  for (let at = 0; at < characters.length; at += UNICODE_CHUNK) {
    const chunk = Buffer.from(characters.slice(at, at + UNICODE_CHUNK).join('')).toString('base64');
    commands.push(`am broadcast -a ADB_INPUT_B64 --es msg ${chunk}`);
  }
  return commands;
}
