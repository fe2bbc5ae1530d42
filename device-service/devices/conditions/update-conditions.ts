import { createClient } from '@connectrpc/connect';
import type { Call } from '../../../kit/call/call.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { rpcOptions } from '../../../kit/rpc/call-crossing.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Device } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import {
  DeviceService,
  type UpdateConditionsRequest,
} from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { findDeviceToChange } from '../../accounts/callers/leased.js';
import { deviceMessage } from '../../record/device-message.js';
import { noteUse } from '../phones/note-use.js';
import { busyWithJob } from '../jobs/accept-job.js';
import { isWork } from '../../record/transitions.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { ConditionsChange } from '../../store/device-settings.js';
import { conditionsEntry } from '../../history/timeline/conditions-entry.js';
import { assertOffered, changedConditions, conditionsChange } from './conditions-change.js';
import { setConditions } from './set-conditions.js';
import type { DevicesContext } from '../devices-context.js';

/** How often the change is tried again because the device started, stopped or moved to another process meanwhile. */
const TRIES = 5;

/**
 * Changes the conditions that a device's phone is made to see. The process of its host sets them on a running phone first; then they are
 * recorded in the device. Conditions that the phone did not accept are not recorded. A phone that is off gets them by the step that
 * starts it.
 *
 * After a crash before the record, the phone has conditions that are not recorded, and the caller has no response. The next process of the
 * host sets the recorded conditions again (follow-conditions.ts), and so does each start.
 */
export async function updateConditions(
  context: DevicesContext,
  caller: Caller,
  request: UpdateConditionsRequest,
  call: Call,
): Promise<Device | undefined> {
  const { devices, dispatch, clock } = context;
  const change = conditionsChange(request);
  const device = await findDeviceToChange(devices, caller, request.name);
  if (Object.keys(change).length === 0) return deviceMessage(device, clock.now());
  await assertOffered(context, device, change);
  if (device.state === 'running' && !dispatch.isOwn(device.hostId)) return passOn(context, device, request, call);
  const atMs = clock.now();
  const work = (): Promise<DeviceDocument> => changeNow(context, caller, request.name, change, call);
  const outcome = await context.settingConditions.run(device._id, work).catch((error: unknown) => ({ error }));
  const failure = 'error' in outcome ? outcome.error : undefined;
  const entry = conditionsEntry(device, { keyId: caller.keyId, request, atMs, endedMs: clock.now(), failure });
  if (entry !== undefined) context.timelineQueue.add({ phoneId: device._id, heldBytes: 0, make: () => entry });
  if ('error' in outcome) throw outcome.error;
  return deviceMessage(outcome, clock.now());
}

async function changeNow(
  context: DevicesContext,
  caller: Caller,
  name: string,
  change: ConditionsChange,
  { signal }: Call,
): Promise<DeviceDocument> {
  const { devices, dispatch, log } = context;
  for (let tries = 0; tries < TRIES; tries++) {
    signal.throwIfAborted();
    const device = await findDeviceToChange(devices, caller, name);
    assertSteady(device);
    if (device.state === 'running') {
      if (!dispatch.isOwn(device.hostId)) break;
      await noteUse(context, device);
    }
    // The phone of a failed device may be on all the same. The device runs again once its phone is found well.
    if (device.state !== 'stopped' && dispatch.isOwn(device.hostId)) {
      const wanted = changedConditions(device.conditions, change);
      await setConditions(context, device, wanted, signal).catch((error: unknown) => {
        if (device.state === 'running') throw error;
        log.info({ phone: device._id, err: error }, 'a failed phone takes its conditions with its next start');
      });
    }
    // This changes nothing if the phone was started or stopped meanwhile, as that step used the earlier conditions.
    const changed = await devices.settings.changeConditions(device, change);
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
  { dispatch }: DevicesContext,
  { hostId, name }: DeviceDocument,
  request: UpdateConditionsRequest,
  call: Call,
): Promise<Device | undefined> {
  const way = await dispatch.wayTo(hostId);
  if (way === undefined)
    throw new ApiError('unavailable', `The host of "${name}" cannot be reached just now. Try again.`);
  return (await createClient(DeviceService, way).updateConditions(request, rpcOptions(call))).device;
}
