import type { Call } from '../../kit/call.js';
import type { Turn } from '../act/step.js';
import { sendCommand } from '../input/send-command.js';
import type { KeptPhone } from '../phones/kept-phone.js';

/** Turns the screen, or leaves that to the phone's sensor. By settings, which every version of Android has. */
export async function rotate(call: Call, kept: KeptPhone, to: Turn): Promise<void> {
  const command =
    to === 'auto'
      ? 'settings put system accelerometer_rotation 1'
      : `settings put system accelerometer_rotation 0 && settings put system user_rotation ${to}`;
  await sendCommand(call, kept, command, 'turn its screen');
}
