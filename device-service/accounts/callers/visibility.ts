import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { DeviceDocument, DeviceStore, Seen } from '../../store/devices.js';

/**
 * Returns the device `name` if the caller may see it. Only this file decides which devices a caller may see.
 *
 * A device of the account that is not on the key's list is forbidden, so that its owner learns what to change. A missing device and
 * another account's device get the same not_found, by the same single look-up. So neither text nor time distinguishes them.
 */
export async function findVisibleDevice(devices: DeviceStore, caller: Caller, name: string): Promise<DeviceDocument> {
  const device = await devices.findByName(caller.accountId, name);
  // Viewers with a share do not learn which other devices exist.
  if (device === null || (caller.sharedPhoneId !== undefined && !maySee(caller, device))) throw noSuchDevice(name);
  if (!maySee(caller, device)) {
    throw new ApiError('forbidden', `This key may not use the device "${name}": it is not on the key's device list.`);
  }
  return device;
}

/**
 * Returns whether the caller may see the device. A key sees the devices on its list, those that it created, and the phones of pools that it has
 * leased; a share sees its own device.
 */
export function maySee(
  caller: Caller,
  device: { _id?: string; name: string; createdBy: string; lease?: { keyId: string; pool?: string } },
): boolean {
  if (caller.sharedPhoneId !== undefined) return device._id === caller.sharedPhoneId;
  if (caller.allDevices || caller.devices.includes(device.name)) return true;
  if (device.createdBy === caller.keyId) return true;
  return device.lease?.pool !== undefined && device.lease.keyId === caller.keyId;
}

/** Returns the same rule as a restriction for lists and claims; undefined when the caller sees everything of its account. */
export function seenBy(caller: Caller): Seen | undefined {
  return caller.allDevices ? undefined : { names: caller.devices, keyId: caller.keyId };
}

/** How many characters of a name an error repeats; no device has a longer name. */
const MAX_SHOWN_CHARS = 40;

export function noSuchDevice(name: string): ApiError {
  // The error text stays short, however long the name in the request is.
  const shown = name.length > MAX_SHOWN_CHARS ? `${name.slice(0, MAX_SHOWN_CHARS)}…` : name;
  return new ApiError(
    'not_found',
    `There is no device "${shown}". GET /v1/devices lists the devices that this key can see.`,
  );
}
