import { createClient } from '@connectrpc/connect';
import type { Call } from '../../kit/call.js';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { KeyedLock } from '../../kit/keyed-lock.js';
import type { Log } from '../../kit/log.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import type { TimelineQueue } from '../../kit/timeline/timeline-queue.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Device } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService, type UpdateConditionsRequest } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { deviceMessage } from '../devices/device-message.js';
import { noteUse } from '../devices/idle-stop.js';
import type { Hosts } from '../hosts/hosts.js';
import type { PlaceParts } from '../hosts/place-phone.js';
import { busyWithJob } from '../jobs/accept-job.js';
import { isWork } from '../jobs/transitions.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import type { ConditionsChange, DeviceDocument, DeviceStore } from '../store/devices.js';
import { conditionsEntry } from '../timeline/conditions-entry.js';
import { assertOffered, changedConditions, conditionsChange } from './conditions-change.js';
import { setConditions } from './set-conditions.js';

export interface UpdateConditionsParts {
  devices: DeviceStore;
  drivers: PhoneDrivers;
  hosts: Hosts;
  places: PlaceParts;
  /** Changes of one phone wait for each other. */
  settingConditions: KeyedLock;
  timelineQueue: Pick<TimelineQueue, 'add'>;
  clock: Clock;
  log: Log;
}

/** How often the device may start, stop or change its process while its conditions are changed. */
const TRIES = 5;

/**
 * Changes the conditions that a device's phone is made to see. A running phone gets them first, from the process of its host, then they are
 * recorded in the device; what the phone did not take is not recorded. One that is off gets them by the step that starts it.
 *
 * After a crash between the two, the phone sees what is not recorded, and its caller has no response: the next process of the host sets the
 * recorded conditions again (follow-conditions.ts), as does each start.
 */
export async function updateConditions(
  parts: UpdateConditionsParts,
  caller: Caller,
  request: UpdateConditionsRequest,
  call: Call,
): Promise<Device | undefined> {
  const { devices, hosts, places, clock } = parts;
  const change = conditionsChange(request);
  const device = await findVisibleDevice(devices, caller, request.name);
  if (Object.keys(change).length === 0) return deviceMessage(device, clock.now());
  await assertOffered(places, device, change);
  if (device.state === 'running' && !hosts.isOwn(device.hostId)) return passOn(parts, device, request, call);
  const atMs = clock.now();
  const work = (): Promise<DeviceDocument> => changeNow(parts, caller, request.name, change, call);
  const outcome = await parts.settingConditions.run(device._id, work).catch((error: unknown) => ({ error }));
  const failure = 'error' in outcome ? outcome.error : undefined;
  const entry = conditionsEntry(device, { keyId: caller.keyId, request, atMs, endedMs: clock.now(), failure });
  if (entry !== undefined) parts.timelineQueue.add({ phoneId: device._id, heldBytes: 0, make: () => entry });
  if ('error' in outcome) throw outcome.error;
  return deviceMessage(outcome, clock.now());
}

async function changeNow(
  parts: UpdateConditionsParts,
  caller: Caller,
  name: string,
  change: ConditionsChange,
  { signal }: Call,
): Promise<DeviceDocument> {
  const { devices, hosts, log } = parts;
  for (let tries = 0; tries < TRIES; tries++) {
    signal.throwIfAborted();
    const device = await findVisibleDevice(devices, caller, name);
    assertSteady(device);
    if (device.state === 'running') {
      if (!hosts.isOwn(device.hostId)) break;
      await noteUse(parts, device);
    }
    // A failed one may have a phone that is on all the same, and runs again once it is found well.
    if (device.state !== 'stopped' && hosts.isOwn(device.hostId)) {
      const wanted = changedConditions(device.conditions, change);
      await setConditions(parts, device, wanted, signal).catch((error: unknown) => {
        if (device.state === 'running') throw error;
        log.info({ phone: device._id, err: error }, 'a failed phone takes its conditions with its next start');
      });
    }
    // Not where it was started or stopped meanwhile: that went by the conditions before.
    const changed = await devices.changeConditions(device, change);
    if (changed !== undefined) return changed;
  }
  throw new ApiError('busy', `The device "${name}" is being started or stopped by others all the time. Try again.`);
}

/** Throws busy while the device is on its way from one state to another. */
function assertSteady(device: DeviceDocument): void {
  const { name, state, job } = device;
  if (job !== undefined && !isWork(job.kind)) throw busyWithJob(device, job);
  if (state === 'running' || state === 'stopped' || state === 'failed') return;
  throw new ApiError('busy', `The device "${name}" is ${state}. Wait until that is over, then change its conditions.`);
}

async function passOn(
  { hosts }: UpdateConditionsParts,
  { hostId, name }: DeviceDocument,
  request: UpdateConditionsRequest,
  call: Call,
): Promise<Device | undefined> {
  const way = await hosts.wayTo(hostId);
  if (way === undefined)
    throw new ApiError('unavailable', `The host of "${name}" cannot be reached just now. Try again.`);
  return (await createClient(DeviceService, way).updateConditions(request, rpcOptions(call))).device;
}
