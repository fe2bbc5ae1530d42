import { within } from '../../../kit/async/within.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';
import { STEP_MS } from '../limits.js';
import { hostLimit } from '../phones/host-limit.js';

/**
 * Removes the files of phones that have moved away from this host. The device has a note of them until they are removed (`leftAt`), so the
 * next process goes on after a crash. Files of a snapshot that a clone is being made from stay until that job has ended.
 */
export async function removeLeft(context: DevicesContext, signal: AbortSignal): Promise<void> {
  const { devices, hostId, log } = context;
  for (const device of await devices.findLeftAt(hostId)) {
    if (device.hostId === hostId) continue;
    try {
      await removeFilesOf(context, device, signal);
    } catch (error) {
      if (signal.aborted) return;
      log.warn(
        { phone: device._id, err: error },
        'could not remove the files of a phone that moved away; trying again',
      );
    }
  }
}

async function removeFilesOf(context: DevicesContext, device: DeviceDocument, signal: AbortSignal): Promise<void> {
  const { devices, snapshots, drivers, hostId, clock } = context;
  const driver = drivers.of(device);
  const moved = (await snapshots.findOfPhone(device._id)).filter((snapshot) => snapshot.hostId !== hostId);
  for (const { _id } of moved) if ((await devices.findBySnapshot(_id))?.hostId === hostId) return;
  const limit = hostLimit(clock, STEP_MS.delete, signal);
  await within(limit, async (limited) => {
    await driver.delete(device._id, { signal: limited });
    for (const { _id } of moved) await driver.snapshots?.delete(_id);
  });
  await devices.forgetLeft(device._id, hostId);
}
