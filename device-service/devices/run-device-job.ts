import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { assertMayRun, hasAmpleFunds, type FundsParts } from '../billing/funds.js';
import { acceptJob, acceptJobByName, type JobParts } from '../jobs/accept-job.js';
import { transitions } from '../jobs/transitions.js';
import type { JobKindWord } from '../store/device-document.js';
import type { DeviceDocument } from '../store/devices.js';

/**
 * Starts, stops, restarts or deletes the device `name`. Nearly always it is idle and there is money for many minutes; then one update
 * finds it for the caller and accepts the job. Else it is read, and the obstacle is the error.
 */
export async function runDeviceJob(
  parts: JobParts & FundsParts,
  caller: Caller,
  name: string,
  kind: JobKindWord,
): Promise<DeviceDocument> {
  const runs = kind === 'start' || kind === 'restart';
  if (!runs || (await hasAmpleFunds(parts, caller.accountId))) {
    const accepted = await acceptJobByName(parts, caller, name, kind, runs ? 'minute' : undefined);
    if (accepted !== undefined) return accepted;
  }
  const device = await findVisibleDevice(parts.devices, caller, name);
  // Only where the job can begin: a device that is busy gets no trial.
  if (runs && device.job === undefined && transitions[kind].from.includes(device.state)) {
    await assertMayRun(parts, device);
  }
  return acceptJob(parts, device, { kind, requestedBy: caller.keyId });
}
