import type { Call } from '../../../kit/call/call.js';
import { EVENT_BYTES } from '../../../phone/evdev/input-event.js';
import type { ReachedPhone } from '../../link/reached-phone.js';
import { DeviceRefused, DeviceTouches } from './device-touches.js';
import { findTouchDevice } from './find-touch-device.js';
import { MotionEvents } from './motion-events.js';
import type { TouchPath } from './touch-path.js';

/**
 * Finds the path for touches to a phone. The path is the touch device where the shell may write to it, as on emulators and most phones of
 * developers. Else the path is the phone's `input`, which knows one finger.
 */
export async function findTouchPath(call: Pick<Call, 'signal'>, phone: ReachedPhone): Promise<TouchPath> {
  const command = 'getprop ro.product.cpu.abilist64; getevent -pl';
  const { stdout } = await phone.command(call, command, 'list its input devices');
  const [abis = '', ...devices] = stdout.toString('utf8').split('\n');
  const device = findTouchDevice(devices.join('\n'));
  if (device === undefined) return new MotionEvents(phone);
  // An event has the size that the program which writes it uses. A phone that can run 64-bit programs has a 64-bit `tee`.
  const touches = new DeviceTouches(phone, device, abis.trim() === '' ? EVENT_BYTES.bits32 : EVENT_BYTES.bits64);
  try {
    await touches.open(call);
    return touches;
  } catch (error) {
    touches.close();
    if (error instanceof DeviceRefused) return new MotionEvents(phone);
    throw error;
  }
}
