import { ApiError } from '../../../kit/errors/api-error.js';
import { maySee, seesAll } from '../../../kit/rpc/may-see.js';
import { labelOf } from '../../../kit/text/label-selector.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { DeviceDocument, DeviceStore, Seen } from '../../store/devices.js';
import type { SeenBy } from '../../store/seen.js';

/**
 * Returns the device `name` if the caller may see it, by the rule of kit/rpc/may-see.ts.
 *
 * A device of the account that is not on the key's list is forbidden, so that its owner learns what to change. A missing device and
 * another account's device get the same not_found, by the same single look-up. So neither text nor time distinguishes them.
 */
export async function findVisibleDevice(devices: DeviceStore, caller: Caller, name: string): Promise<DeviceDocument> {
  const device = await devices.findByName(caller.accountId, name);
  // Viewers with a share do not learn which other devices exist.
  if (device === null || (caller.sharedPhoneId !== undefined && !maySee(caller, device))) throw noSuchDevice(name);
  if (!maySee(caller, device)) {
    throw new ApiError('forbidden', refusal(caller, name));
  }
  return device;
}

/**
 * Returns the rule of kit/rpc/may-see.ts as a restriction for lists and claims. Undefined: the caller sees everything of its account.
 */
export function seenBy(caller: Caller): Seen | undefined {
  if (seesAll(caller)) return undefined;
  const { keyId, memberId, scope, allDevices, devices: names, devicesLabel, within } = caller;
  return {
    keyId,
    ...(scope === Scope.PERSON && memberId !== undefined && { memberId }),
    ...(allDevices && { isAll: true }),
    ...listOf({ names, label: devicesLabel }),
    ...(within !== undefined && { within: { ...listOf(within), ...(memberId !== undefined && { madeBy: memberId }) } }),
  };
}

function listOf({ names, label }: { names: readonly string[]; label?: string | undefined }): SeenBy {
  return { names: [...names], ...(label !== undefined && { label: labelOf(label) }) };
}

function refusal({ scope }: Caller, name: string): string {
  return scope === Scope.PERSON
    ? `You may not use the device "${name}": it is none of the devices that you see in this account. Ask an owner or admin.`
    : `This key may not use the device "${name}": it is not on the key's device list, or the member who made the key does not see it.`;
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
