import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findVisibleDevice, noSuchDevice } from '../access/visibility.js';
import { withStateEvent } from '../events/state-event.js';
import type { Hosts } from '../hosts/hosts.js';
import { newJob } from '../jobs/new-job.js';
import { transitions } from '../jobs/transitions.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';

/** A use is noted at most this often, ms: a phone may run this much longer than its idle time, and never shorter. */
const NOTE_EVERY_MS = 15_000;

/** Sets after how many seconds without use a device is stopped; 0: never. */
export async function setIdleStop(
  { devices, clock }: { devices: DeviceStore; clock: Clock },
  caller: Caller,
  name: string,
  idleStopS: number,
): Promise<DeviceDocument> {
  const { _id } = await findVisibleDevice(devices, caller, name);
  const changed = await devices.setIdleStop(_id, idleStopS, new Date(clock.now()));
  if (changed === undefined) throw noSuchDevice(name);
  return changed;
}

/** Notes that a device is in use now, where that matters. Awaited before the use begins, so that no phone is stopped under it. */
export async function noteUse(
  { devices, clock }: { devices: DeviceStore; clock: Clock },
  { _id, idleStopS, usedAt }: DeviceDocument,
): Promise<void> {
  if (idleStopS === undefined) return;
  if (usedAt !== undefined && clock.now() - usedAt.getTime() < NOTE_EVERY_MS) return;
  await devices.noteUse(_id, new Date(clock.now()));
}

export interface StopIdleParts {
  devices: DeviceStore;
  hosts: Pick<Hosts, 'begin'>;
  hostId: string;
  clock: Clock;
  log: Log;
}

/**
 * Stops the running devices of this host that nobody has used for their idle time: no call, viewer or relay session since their start. A job is
 * a use until it ends. The stop is accepted only while the last use is the one that was read.
 */
export async function stopIdle(parts: StopIdleParts): Promise<void> {
  const { devices, hosts, hostId, clock, log } = parts;
  for (const device of await devices.ofHost(hostId).findIdleStopped()) {
    if (device.job !== undefined) {
      await noteUse(parts, device);
      continue;
    }
    if (clock.now() < endOfIdleMs(device)) continue;
    const change = withStateEvent('running', transitions.stop.change ?? {}, clock.now());
    const claimed = await devices.claimUnused(device, newJob(clock, { kind: 'stop' }), change);
    if (claimed === undefined) continue;
    hosts.begin(claimed);
    log.info(
      { device: device.name, account: device.accountId },
      'stopping a device that nobody has used for its idle time',
    );
  }
}

/** When the device has been without use for long enough. */
function endOfIdleMs({ idleStopS = 0, startedAt, usedAt, adbLentUntil }: DeviceDocument): number {
  const uses = [startedAt, usedAt, adbLentUntil].map((at) => at?.getTime() ?? 0);
  return Math.max(...uses) + idleStopS * 1_000 + NOTE_EVERY_MS;
}
