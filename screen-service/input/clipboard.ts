import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { sendCommand } from './send-command.js';

/**
 * Android's shell has no command for the clipboard, so it is used through Clipper, an app that takes broadcasts while its service
 * runs.
 */
const START = 'am startservice ca.zgrs.clipper/.ClipboardService >/dev/null 2>&1';

export async function setClipboard(call: Call, kept: KeptPhone, text: string): Promise<void> {
  await broadcast(call, kept, `am broadcast -a clipper.set -e text ${shellQuote(text)}`, 'set its clipboard');
}

/** The clipboard's text; empty when it holds none. */
export function readClipboard(call: Call, kept: KeptPhone): Promise<string> {
  return broadcast(call, kept, 'am broadcast -a clipper.get', 'read its clipboard');
}

/** The data of the broadcast's result. Throws bad_request when no app took it. */
async function broadcast(call: Call, kept: KeptPhone, command: string, doing: string): Promise<string> {
  const output = await sendCommand(call, kept, `${START}; ${command}`, doing);
  // A broadcast that no app took has a result without data.
  const [, data] = /result=-?\d+, data="([\s\S]*)"\s*$/.exec(output) ?? [];
  if (data !== undefined) return data;
  throw new ApiError(
    'bad_request',
    'clipboard: this phone has no app that lets its shell use the clipboard. Install Clipper (ca.zgrs.clipper); since Android 10 it must ' +
      'be in front, or the input method, to read the clipboard.',
  );
}
