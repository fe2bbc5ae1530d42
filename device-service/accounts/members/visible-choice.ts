import type { DeviceStore } from '../../store/devices.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { RoleWord, VisibleDevices } from '../../store/members.js';
import { assertOwnDevices } from '../keys/key-choices.js';
import { labelOf } from '../../../kit/text/label-selector.js';

/**
 * Returns the devices that a request chooses for a member of a role, by names or by a label; undefined where it chooses none. Throws bad_request
 * for a name that is no device of the account, and where an admin or owner, who may change the choice, would see less than all.
 */
export async function visibleChoice(
  devices: DeviceStore,
  accountId: string,
  role: RoleWord,
  request: { devices: readonly string[]; devicesLabel?: string | undefined },
): Promise<VisibleDevices | undefined> {
  if (role === 'admin' || role === 'owner') {
    if (request.devicesLabel === undefined && request.devices.every((name) => name === '*')) return { devices: ['*'] };
    throw new ApiError('bad_request', 'devices: admins and owners see all devices. Leave devices out, or give ["*"].');
  }
  if (request.devicesLabel !== undefined) return { devices: [], devicesLabel: labelOf(request.devicesLabel) };
  if (request.devices.length === 0) return undefined;
  await assertOwnDevices(devices, accountId, request.devices);
  return { devices: [...request.devices] };
}
