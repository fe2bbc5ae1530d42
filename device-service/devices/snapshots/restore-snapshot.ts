import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findDeviceToChange } from '../../accounts/callers/leased.js';
import { assertMayRun } from '../../accounts/billing/funds.js';
import { acceptJob, assertMayBegin } from '../jobs/accept-job.js';
import type { DeviceDocument } from '../../store/devices.js';
import { assertSnapshotReady } from '../../record/snapshot-ready.js';
import { findSnapshot } from './snapshots.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Accepts a job that rolls the device back to one of its snapshots and starts it, which has to be paid for like any start. The job itself
 * checks that the snapshot still exists and is whole, before it touches the phone (job-snapshots.ts).
 */
export async function acceptRestore(
  context: DevicesContext,
  caller: Caller,
  { name, id }: { name: string; id: string },
): Promise<DeviceDocument> {
  const { device, snapshot } = await findSnapshot(context, caller, name, id, findDeviceToChange);
  assertSnapshotReady(snapshot);
  assertMayBegin(device, 'restore');
  await assertMayRun(context, device);
  return acceptJob(context, device, { kind: 'restore', requestedBy: caller.keyId, snapshot: id });
}
