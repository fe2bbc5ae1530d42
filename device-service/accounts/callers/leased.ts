import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';
import type { DeviceHandover } from '../../store/handover.js';
import { isSessionId } from '../../store/sessions.js';
import { findVisibleDevice } from './visibility.js';

/** A device as far as a lease or a hand-over decides who may change it. */
export type Leasable = Pick<DeviceDocument, 'name' | 'lease' | 'pool' | 'handover'>;

/**
 * Returns the device `name` for a call that changes it. Throws as findVisibleDevice does, and busy where another caller has a lease of the
 * device, a pool keeps it for leases, or it is handed over to a person.
 *
 * A lease or hand-over that begins after this look-up does not undo it. The update that accepts a job has the same condition, so no job
 * begins on a phone that another caller has (store/may-change.ts).
 */
export async function findDeviceToChange(devices: DeviceStore, caller: Caller, name: string): Promise<DeviceDocument> {
  const device = await findVisibleDevice(devices, caller, name);
  assertMayChange(device, caller);
  return device;
}

/** Throws busy where the caller may not change the device now. */
export function assertMayChange(device: Leasable, caller: Caller): void {
  const refusal = refusalOf(device, caller);
  if (refusal !== undefined) throw new ApiError('busy', refusal);
}

/** What the viewer of a share is shown: no name, reason or note of others. */
const SHARED_REFUSAL = 'Somebody else has the phone now, so this link is for watching only. Try again later.';

/** Returns why the caller may not change the device now; undefined: nothing prevents it. */
export function refusalOf(
  device: Leasable,
  { sharedPhoneId, ...caller }: Pick<Caller, 'keyId' | 'sharedBy' | 'groupId' | 'sharedPhoneId'>,
): string | undefined {
  const refusal = refusalTo(device, caller);
  return refusal !== undefined && sharedPhoneId !== undefined ? SHARED_REFUSAL : refusal;
}

function refusalTo(
  device: Leasable,
  { keyId, sharedBy, groupId }: Pick<Caller, 'keyId' | 'sharedBy' | 'groupId'>,
): string | undefined {
  const { handover } = device;
  if (handover === undefined) return refusalFor(device, sharedBy ?? keyId);
  // A group that a person began in the panel is a program all the same.
  const isPerson = (isSessionId(keyId) && groupId === undefined) || keyId === handover.shareId;
  return isPerson ? undefined : handedOver(device.name, handover);
}

/** Returns why a key or session may not change the device now; undefined: nothing prevents it. */
export function refusalFor(device: Leasable, keyId: string): string | undefined {
  const { name, handover } = device;
  if (handover === undefined) return leaseRefusalFor(device, keyId);
  return isSessionId(keyId) ? undefined : handedOver(name, handover);
}

/** Returns why a key or session may not change the device, whether or not a person has it now; undefined: no lease prevents it. */
export function leaseRefusalFor(
  { name, lease, pool }: Pick<Leasable, 'name' | 'lease' | 'pool'>,
  keyId: string,
): string | undefined {
  if (lease === undefined) {
    return pool === undefined
      ? undefined
      : `The device "${name}" is kept ready by the pool "${pool.name}". Lease it: POST /v1/leases {"pool": "${pool.name}"}.`;
  }
  if (lease.ended !== undefined)
    return `The lease of "${name}" has ended, and the phone is not free yet. Try again in some seconds.`;
  if (lease.keyId === keyId) return undefined;
  const note = lease.note === undefined ? '' : ` for "${lease.note}"`;
  const until = lease.expiresAt.toISOString();
  return `The device "${name}" is leased by ${lease.name}${note} until ${until}. Wait, or end it: GET /v1/leases lists it.`;
}

function handedOver(name: string, { id, reason, requestedBy }: DeviceHandover): string {
  const wait = `GET /v1/devices/${name}/handovers/${id}?wait_s=60`;
  return `The device "${name}" is handed over to a person (${id}, by ${requestedBy.name}): "${reason}". Wait until it is given back: ${wait}.`;
}
