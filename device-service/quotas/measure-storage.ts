import type { Log } from '../../kit/log.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import type { DeviceStore } from '../store/devices.js';

/**
 * Measures the room that each phone of a host takes on its disk, one after the other, and writes it in its device's document, where it
 * counts for the account's quota. Phones that are not on the host's disk take none; one that cannot be measured keeps its last number.
 */
export async function measureStorage(
  { devices, drivers, hostId, log }: { devices: DeviceStore; drivers: PhoneDrivers; hostId: string; log: Log },
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
    if (bytes !== undefined && bytes !== device.storageBytes) await devices.noteStorage(device, bytes);
  }
}
