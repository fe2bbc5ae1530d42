import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';
import { findVisibleDevice } from './visibility.js';

/** A device as far as a lease decides who may change it. */
export type Leasable = Pick<DeviceDocument, 'name' | 'lease' | 'pool'>;

/**
 * Returns the device `name` for a call that changes it. Throws as findVisibleDevice does, and busy where another caller has a lease of the
 * device, or a pool keeps it for leases.
 *
 * A lease that begins after this look-up does not undo it. The update that accepts a job has the same condition, so no job begins on a phone
 * that another caller has leased.
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

/** Returns why the caller may not change the device now; undefined: no lease prevents it. */
export function refusalOf(
  device: Leasable,
  { keyId, sharedBy }: Pick<Caller, 'keyId' | 'sharedBy'>,
): string | undefined {
  return refusalFor(device, sharedBy ?? keyId);
}

/** Returns why a key or session may not change the device now; undefined: no lease prevents it. */
export function refusalFor({ name, lease, pool }: Leasable, keyId: string): string | undefined {
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
