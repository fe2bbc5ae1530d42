import type { Call } from '../../kit/call/call.js';
import { parseDisplayOff } from '../../phone/screen/windows.js';
import { READ_DISPLAY } from '../display/foreground.js';
import { keyCommand } from '../input/command/gestures.js';
import { WAKEUP } from '../input/command/keys.js';
import { sendCommand } from '../input/command/send-command.js';
import type { ReachedPhone } from '../link/reached-phone.js';

/** Turns the display on if it is off, as the phone ignores touches while it is off. */
export async function wakeDisplay(call: Pick<Call, 'signal' | 'sender'>, phone: ReachedPhone): Promise<void> {
  const { stdout } = await phone.command(call, READ_DISPLAY, 'report whether its display is on');
  if (parseDisplayOff(stdout.toString('latin1'))) await turnDisplayOn(call, phone);
}

export async function turnDisplayOn(call: Pick<Call, 'signal' | 'sender'>, phone: ReachedPhone): Promise<void> {
  await sendCommand(call, phone, keyCommand(WAKEUP), 'turn its display on');
}
