import type { DeviceDocument } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * A use is noted at most this often, ms. The idle stop waits this much longer than the idle time, so that no phone is stopped too early.
 */
export const NOTE_EVERY_MS = 15_000;

/**
 * Notes that a device is in use now, if the device has an idle stop. Callers await this before the use begins, so that the phone is not
 * stopped during the use.
 */
export async function noteUse(
  { devices, clock }: Pick<DevicesContext, 'devices' | 'clock'>,
  { _id, idleStopS, usedAt }: DeviceDocument,
): Promise<void> {
  if (idleStopS === undefined) return;
  if (usedAt !== undefined && clock.now() - usedAt.getTime() < NOTE_EVERY_MS) return;
  await devices.noteUse(_id, new Date(clock.now()));
}
