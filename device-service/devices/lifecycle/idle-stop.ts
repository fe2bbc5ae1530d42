import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findDeviceToChange } from '../../accounts/callers/leased.js';
import { noSuchDevice } from '../../accounts/callers/visibility.js';
import { withStateEvent } from '../../record/state-event.js';
import { newJob } from '../../record/new-job.js';
import { transitions } from '../../record/transitions.js';
import { NOTE_EVERY_MS, noteUse } from '../phones/note-use.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';

/** Sets after how many seconds without use a device is stopped; 0 means never. */
export async function setIdleStop(
  { devices, clock }: DevicesContext,
  caller: Caller,
  name: string,
  idleStopS: number,
): Promise<DeviceDocument> {
  const { _id } = await findDeviceToChange(devices, caller, name);
  const changed = await devices.settings.setIdleStop(_id, idleStopS, new Date(clock.now()));
  if (changed === undefined) throw noSuchDevice(name);
  return changed;
}

/**
 * Stops the running devices of this host that nobody has used for their idle time: no call, viewer or relay session since their start. A
 * job is a use until it ends, and so are a lease and a hand-over. The stop is accepted only while the last use is the one that was read.
 */
export async function stopIdle(context: DevicesContext): Promise<void> {
  const { devices, dispatch, hostId, clock, log } = context;
  for (const device of await devices.ofHost(hostId).findIdleStopped()) {
    if (device.job !== undefined || device.lease !== undefined || device.handover !== undefined) {
      await noteUse(context, device);
      continue;
    }
    if (clock.now() < endOfIdleMs(device)) continue;
    const change = withStateEvent('running', transitions.stop.change ?? {}, clock.now());
    const claimed = await devices.claims.unused(device, newJob(clock, { kind: 'stop' }), change);
    if (claimed === undefined) continue;
    dispatch.begin(claimed);
    log.info(
      { device: device.name, account: device.accountId },
      'stopping a device that nobody has used for its idle time',
    );
  }
}

/** Returns when the device will have been without use for its idle time. */
function endOfIdleMs({ idleStopS = 0, startedAt, usedAt, adbLentUntil }: DeviceDocument): number {
  const uses = [startedAt, usedAt, adbLentUntil].map((at) => at?.getTime() ?? 0);
  return Math.max(...uses) + idleStopS * 1_000 + NOTE_EVERY_MS;
}
