import type { DeviceStore } from '../../store/devices.js';
import type { VisibleDevices } from '../../store/members.js';
import { assertOwnDevices } from './key-choices.js';
import { labelOf } from '../../../kit/text/label-selector.js';

/**
 * Returns the devices that a request chooses, by names or by a label; undefined where it chooses none. Throws bad_request for a name that is
 * no device of the account.
 */
export async function visibleChoice(
  devices: DeviceStore,
  accountId: string,
  request: { devices: readonly string[]; devicesLabel?: string | undefined },
): Promise<VisibleDevices | undefined> {
  if (request.devicesLabel !== undefined) return { devices: [], devicesLabel: labelOf(request.devicesLabel) };
  if (request.devices.length === 0) return undefined;
  await assertOwnDevices(devices, accountId, request.devices);
  return { devices: [...request.devices] };
}
