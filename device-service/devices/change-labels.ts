import { ApiError } from '../../kit/errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { LABELS_MOST } from '../limits.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import { changedLabels } from './labels.js';

/** More callers at once than this change the labels of one device only by mistake. */
const TRIES = 20;

/** Sets and removes labels. Others may change labels at the same time, so the change is made to the labels that were read, or again. */
export async function changeLabels(
  devices: DeviceStore,
  caller: Caller,
  name: string,
  change: Readonly<Record<string, string>>,
): Promise<DeviceDocument> {
  for (let tries = 0; tries < TRIES; tries++) {
    const device = await findVisibleDevice(devices, caller, name);
    const labels = changedLabels(device.labels, change);
    if (labels.length > LABELS_MOST) {
      throw new ApiError(
        'bad_request',
        `labels: "${name}" would have ${labels.length} labels; a device has at most ${LABELS_MOST}.`,
      );
    }
    if (await devices.replaceLabels(device, labels)) return { ...device, labels };
  }
  throw new ApiError('busy', `Others change the labels of "${name}" at the same time. Try again.`);
}
