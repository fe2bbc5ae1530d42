import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { assertMayRun, type FundsParts } from '../billing/funds.js';
import { acceptJob, type JobParts } from '../jobs/accept-job.js';
import { transitions } from '../jobs/transitions.js';
import type { JobKindWord } from '../store/device-document.js';
import type { DeviceDocument } from '../store/devices.js';

/** Starts, stops, restarts or deletes the device `name`: finds it for the caller and accepts the job on it. */
export async function runDeviceJob(
  parts: JobParts & FundsParts,
  caller: Caller,
  name: string,
  kind: JobKindWord,
): Promise<DeviceDocument> {
  const device = await findVisibleDevice(parts.devices, caller, name);
  if (kind === 'start' || kind === 'restart') {
    // Only where the job can begin: what is busy is told so, and gets no trial.
    if (device.job === undefined && transitions[kind].from.includes(device.state)) await assertMayRun(parts, device);
  }
  return acceptJob(parts, device, { kind, requestedBy: caller.keyId });
}
