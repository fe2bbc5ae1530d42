import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { replaceLabels } from '../labels/replace-labels.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';

/** Sets and removes labels of a device, and returns it. */
export function changeLabels(
  devices: DeviceStore,
  caller: Caller,
  name: string,
  change: Readonly<Record<string, string>>,
): Promise<DeviceDocument> {
  const device = {
    name: `"${name}"`,
    read: () => findVisibleDevice(devices, caller, name),
    replace: (read: DeviceDocument, labels: string[]) => devices.replaceLabels(read, labels),
  };
  return replaceLabels(device, change);
}
