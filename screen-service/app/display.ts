import type { Call } from '../../kit/call.js';
import { parseDisplayOff } from '../../phone/screen/windows.js';
import { keyCommand } from '../input/gestures.js';
import { WAKEUP } from '../input/keys.js';
import { sendCommand } from '../input/send-command.js';
import type { ReachedPhone } from '../phones/reached-phone.js';

/** Prints whether the display is on. */
export const READ_DISPLAY = 'dumpsys power | grep -m 1 mWakefulness=';

/** Turns the display on if it is off: the phone would ignore touches. */
export async function wakeDisplay(call: Pick<Call, 'signal'>, phone: ReachedPhone): Promise<void> {
  const { stdout } = await phone.command(call, READ_DISPLAY, 'report whether its display is on');
  if (parseDisplayOff(stdout.toString('latin1'))) await turnDisplayOn(call, phone);
}

export async function turnDisplayOn(call: Pick<Call, 'signal'>, phone: ReachedPhone): Promise<void> {
  await sendCommand(call, phone, keyCommand(WAKEUP), 'turn its display on');
}
