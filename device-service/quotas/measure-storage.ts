import type { PhoneDrivers } from '../phones/phone-drivers.js';
import type { DeviceStore } from '../store/devices.js';

/**
 * Measures the room that each phone of a host takes on its disk, one after the other, and writes it in its device's document, where it
 * counts for the account's quota. Phones that are not on the host's disk take none.
 */
export async function measureStorage(
  { devices, drivers, hostId }: { devices: DeviceStore; drivers: PhoneDrivers; hostId: string },
  signal: AbortSignal,
): Promise<void> {
  for (const device of await devices.ofHost(hostId).find()) {
    signal.throwIfAborted();
    const bytes = await drivers.of(device).usedBytes?.(device._id);
    if (bytes !== undefined && bytes !== device.storageBytes) await devices.noteStorage(device._id, bytes);
  }
}
