import { ApiError } from '../../kit/errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { DeviceDocument, DeviceStore, Seen } from '../store/devices.js';

/**
 * The one place that decides which devices a caller may see. A device of the account that is off the key's list is
 * forbidden, so that its owner learns what to change; a device that does not exist and another account's device are the same
 * not_found, by the same single look-up, so that neither text nor time distinguishes them.
 */
export async function findVisibleDevice(devices: DeviceStore, caller: Caller, name: string): Promise<DeviceDocument> {
  const device = await devices.findByName(caller.accountId, name);
  // Viewers by a share do not learn which other devices there are.
  if (device === null || (caller.sharedPhoneId !== undefined && !maySee(caller, device))) throw noSuchDevice(name);
  if (!maySee(caller, device)) {
    throw new ApiError('forbidden', `This key may not use the device "${name}": it is not on the key's device list.`);
  }
  return device;
}

/** A key sees the devices on its list and those that it made itself; a share sees its own. */
export function maySee(caller: Caller, device: { _id?: string; name: string; createdBy: string }): boolean {
  if (caller.sharedPhoneId !== undefined) return device._id === caller.sharedPhoneId;
  return caller.allDevices || caller.devices.includes(device.name) || device.createdBy === caller.keyId;
}

/** The same rule as a restriction for lists and claims; undefined when the caller sees everything of its account. */
export function seenBy(caller: Caller): Seen | undefined {
  return caller.allDevices ? undefined : { names: caller.devices, createdBy: caller.keyId };
}

/** Characters of a name that are repeated in an error; no device has a longer one. */
const LONGEST_SHOWN = 40;

export function noSuchDevice(name: string): ApiError {
  // The error text stays short, however long the name in the request is.
  const shown = name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name;
  return new ApiError(
    'not_found',
    `There is no device "${shown}". GET /v1/devices lists the devices that this key can see.`,
  );
}
