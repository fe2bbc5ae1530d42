import { createJsonEncoders } from '../../../kit/json/encode.js';
import { newEntry } from '../../../kit/timeline/new-entry.js';
import { failedEnd } from '../../../kit/timeline/failed-end.js';
import {
  type UpdateConditionsRequest,
  UpdateConditionsRequestSchema,
} from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { TimelineKind } from '../../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { NewTimelineEntry } from '../../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import type { DeviceDocument } from '../../store/devices.js';

const encode = createJsonEncoders()(UpdateConditionsRequestSchema);

/**
 * Returns the entry of a change of conditions; undefined where the device's timeline is off. `failure` is the reason why nothing was
 * changed.
 */
export function conditionsEntry(
  { _id: phoneId, timeline }: DeviceDocument,
  change: { keyId: string; request: UpdateConditionsRequest; atMs: number; endedMs: number; failure: unknown },
): NewTimelineEntry | undefined {
  if (timeline !== true) return undefined;
  const { keyId, request, atMs, endedMs, failure } = change;
  return newEntry({
    phoneId,
    keyId,
    atMs,
    kind: TimelineKind.CONDITIONS,
    // The entry has the body of the call; the name of the device is in its path.
    request: JSON.parse(encode(request)) as unknown,
    durationMs: endedMs - atMs,
    ...(failure === undefined ? { outcome: 'done' } : failedEnd(failure)),
  });
}
