import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findDeviceToChange } from '../../accounts/callers/leased.js';
import { assertMayRun, hasAmpleFunds } from '../../accounts/billing/funds.js';
import { acceptDelete } from './accept-delete.js';
import { acceptJob, acceptJobByName } from '../jobs/accept-job.js';
import { transitions } from '../../record/transitions.js';
import type { JobKindWord } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Starts, stops, restarts or deletes the device `name`. Nearly always the device is idle and the account can pay for many minutes. Then
 * one update finds the device for the caller and accepts the job. Otherwise the device is read, and what prevents the job is thrown as an
 * error.
 */
export async function runDeviceJob(
  context: DevicesContext,
  caller: Caller,
  name: string,
  kind: JobKindWord,
): Promise<DeviceDocument> {
  const runs = kind === 'start' || kind === 'restart';
  if (!runs || (await hasAmpleFunds(context, caller.accountId))) {
    const accepted = await acceptJobByName(context, caller, name, kind, runs ? 'minute' : undefined);
    if (accepted !== undefined) return accepted;
  }
  const device = await findDeviceToChange(context.devices, caller, name);
  // The account's money or trial is reserved only when the job can begin, so that a busy device does not take the trial.
  if (runs && device.job === undefined && transitions[kind].from.includes(device.state)) {
    await assertMayRun(context, device);
  }
  if (kind === 'delete') return acceptDelete(context, device, caller.keyId);
  return acceptJob(context, device, { kind, requestedBy: caller.keyId, groupId: caller.groupId });
}
