import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { sendCommand } from './command/send-command.js';

/**
 * Starts the service of Clipper, an app that reads and sets the clipboard by broadcasts. Android's shell has no command for the clipboard.
 */
const START = 'am startservice ca.zgrs.clipper/.ClipboardService >/dev/null 2>&1';

export async function setClipboard(call: Call, phoneSession: ReachedPhone, text: string): Promise<void> {
  const command = `${START}; am broadcast -a clipper.set -e text ${shellQuote(text)}`;
  dataOf(await sendCommand(call, phoneSession, command, 'set its clipboard'));
}

/** The clipboard's text; empty when it holds none. */
export async function readClipboard(call: Call, phoneSession: ReachedPhone): Promise<string> {
  const { stdout } = await phoneSession.command(call, `${START}; am broadcast -a clipper.get`, 'read its clipboard');
  return dataOf(stdout.toString('utf8'));
}

/** Returns the data of the broadcast's result. Throws bad_request when no app took it. */
function dataOf(output: string): string {
  // A broadcast that no app took has a result without data.
  const [, data] = /result=-?\d+, data="([\s\S]*)"\s*$/.exec(output) ?? [];
  if (data !== undefined) return data;
  throw new ApiError(
    'bad_request',
    'clipboard: this phone has no app that lets its shell use the clipboard. Install Clipper (ca.zgrs.clipper); since Android 10 it must ' +
      'be in front, or the input method, to read the clipboard.',
  );
}
