import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { acceptJob, type JobParts } from '../jobs/accept-job.js';
import type { JobKindWord } from '../store/device-document.js';
import type { DeviceDocument } from '../store/devices.js';

/** Starts, stops, restarts or deletes the device `name`: finds it for the caller and accepts the job on it. */
export async function runDeviceJob(
  parts: JobParts,
  caller: Caller,
  name: string,
  kind: JobKindWord,
): Promise<DeviceDocument> {
  const device = await findVisibleDevice(parts.devices, caller, name);
  return acceptJob(parts, device, { kind, requestedBy: caller.keyId });
}
