import { ApiError } from '../../../kit/errors/api-error.js';
import type { Call } from '../../../kit/call/call.js';
import { createId } from '../../../kit/text/ids.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { CreateHandoverRequest } from '../../../proto/gen/cloudphone/device/v1/handover_service_pb.js';
import { findDeviceToChange, refusalFor } from '../../accounts/callers/leased.js';
import { createShare } from '../../accounts/shares/create-share.js';
import { busyWithJob } from '../../devices/jobs/accept-job.js';
import { endpointOf } from '../../devices/phones/locate-phone.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { DeviceHandover } from '../../store/handover.js';
import type { FleetContext } from '../fleet-context.js';
import { HANDOVER_S } from '../limits.js';
import { assertEventsSent } from '../waiting-events.js';
import { endHandover } from './end-handover.js';

/** A device that is handed over, and the token of the link. */
export interface Begun {
  device: DeviceDocument;
  handover: DeviceHandover;
  token: string;
}

/**
 * Hands a phone over to a person. The share is made first, and works only while the device names its hand-over. So a crash in between leaves
 * a share without an effect, which takes one place of the device until its time is over. One update of the device begins the hand-over.
 * After a crash behind that, the caller has no response; the panel shows the hand-over, which ends by its time. Where the caller has left by
 * then, it is cancelled, as nobody would wait for it.
 */
export async function beginHandover(
  context: FleetContext,
  call: Call,
  caller: Caller,
  { name, reason, timeoutS = HANDOVER_S }: CreateHandoverRequest,
): Promise<Begun> {
  const { devices, shares, deviceEvents, clock } = context;
  const device = await findDeviceToChange(devices, caller, name);
  assertHandable(device);
  const nowMs = clock.now();
  const id = createId('hnd', nowMs);
  const lifetime = { handoverId: id, lifetimeS: timeoutS };
  const { share, token } = await createShare(context, caller, { name, access: 'control', ...lifetime });
  const handover: DeviceHandover = {
    ...{ id, reason, requestedBy: { id: caller.keyId, name: await nameOf(context, caller) } },
    begunAt: new Date(nowMs),
    expiresAt: share.expiresAt,
    shareId: share._id,
  };
  try {
    const begun = await beginAsRead(context, caller, device, handover);
    deviceEvents.soon();
    if (call.signal.aborted) await endHandover(context, begun, { state: 'cancelled' });
    call.signal.throwIfAborted();
    return { device: begun, handover, token };
  } catch (error) {
    // After any other failure, such as an outage, the hand-over may have begun.
    if (error instanceof ApiError) await shares.remove(device._id, share._id);
    throw error;
  }
}

/** How often the beginning is tried. A program that renews its lease meanwhile makes one try fail. */
const BEGIN_TRIES = 3;

/** Begins the hand-over of a device, or throws what prevents it now. */
async function beginAsRead(
  { devices }: FleetContext,
  caller: Caller,
  device: DeviceDocument,
  handover: DeviceHandover,
): Promise<DeviceDocument> {
  const { _id, name } = device;
  let read = device;
  for (let tries = 0; tries < BEGIN_TRIES && read._id === _id; tries++) {
    const begun = await devices.handovers.begin(read, handover);
    if (begun !== undefined) return begun;
    read = await findDeviceToChange(devices, caller, name);
    assertHandable(read);
  }
  throw new ApiError('busy', `The device "${name}" was changed by another caller just now. Try again.`);
}

/** Throws busy unless the device runs, no person has it, and no job is at work on it. */
function assertHandable(device: DeviceDocument): void {
  endpointOf(device);
  assertEventsSent(device);
  if (device.handover !== undefined) throw new ApiError('busy', refusalFor(device, '') ?? '');
  if (device.job !== undefined) throw busyWithJob(device, device.job);
}

async function nameOf({ keys }: FleetContext, { keyId, scope }: Caller): Promise<string> {
  if (scope === Scope.PERSON) return 'panel';
  return (await keys.findNames([keyId])).get(keyId) ?? '';
}
