import type { DeviceDocument } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Measures the room that each phone of a host takes on its disk, one after the other. The result is written in the device's document,
 * where it counts for the account's quota. Phones that are not on the host's disk take no room. A phone that cannot be measured keeps its
 * last number. `judge` gets each measurement before it is written, with the device and its earlier one.
 */
export async function measureStorage(
  { devices, drivers, hostId, log }: Pick<DevicesContext, 'devices' | 'drivers' | 'hostId' | 'log'>,
  judge: (device: DeviceDocument, bytes: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (const device of await devices.ofHost(hostId).find()) {
    signal.throwIfAborted();
    const bytes = await drivers
      .of(device)
      .usedBytes?.(device._id)
      .catch((error: unknown) => {
        log.warn({ err: error, phone: device._id }, 'the storage of a phone cannot be measured');
        return undefined;
      });
    if (bytes === undefined) continue;
    await judge(device, bytes).catch((error: unknown) => {
      log.warn({ err: error, phone: device._id }, 'a phone that was measured cannot be judged');
    });
    if (bytes !== device.storageBytes) await devices.noteStorage(device, bytes);
  }
}
