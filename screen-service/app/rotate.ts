import type { Call } from '../../kit/call/call.js';
import { sendCommand } from '../input/command/send-command.js';
import type { ReachedPhone } from '../link/reached-phone.js';

/** Orientation in quarter turns counter-clockwise; auto: by the phone's sensor. */
export type Turn = 0 | 1 | 2 | 3 | 'auto';

/** Turns the screen, or leaves that to the phone's sensor. It changes settings that every version of Android has. */
export async function rotate(call: Call, phoneSession: ReachedPhone, to: Turn): Promise<void> {
  const command =
    to === 'auto'
      ? 'settings put system accelerometer_rotation 1'
      : `settings put system accelerometer_rotation 0 && settings put system user_rotation ${to}`;
  await sendCommand(call, phoneSession, command, 'turn its screen');
}
