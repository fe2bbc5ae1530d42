import { ApiError } from '../../../kit/errors/api-error.js';
import type { DeviceStore } from '../../store/devices.js';
import type { RoleWord, VisibleDevices } from '../../store/members.js';
import { visibleChoice } from '../keys/visible-choice.js';

/**
 * Returns the devices that a request chooses for a member of a role; undefined where it chooses none. Throws bad_request as visibleChoice does,
 * and where an admin or owner would see less than all: they may change the choice themselves.
 */
export async function devicesForRole(
  devices: DeviceStore,
  accountId: string,
  role: RoleWord,
  request: { devices: readonly string[]; devicesLabel?: string | undefined },
): Promise<VisibleDevices | undefined> {
  if (role !== 'admin' && role !== 'owner') return visibleChoice(devices, accountId, request);
  if (request.devicesLabel === undefined && request.devices.every((name) => name === '*')) return { devices: ['*'] };
  throw new ApiError('bad_request', 'devices: admins and owners see all devices. Leave devices out, or give ["*"].');
}
