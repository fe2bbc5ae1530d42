import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { assertMayRun, type FundsParts } from '../billing/funds.js';
import { acceptJob, assertMayBegin, type JobParts } from '../jobs/accept-job.js';
import type { DeviceDocument } from '../store/devices.js';
import type { SnapshotStore } from '../store/snapshots.js';
import { assertReady, findSnapshot } from './find-snapshot.js';

/**
 * Accepts a job that rolls the device back to one of its snapshots and starts it, which has to be paid for like any start. Whether the
 * snapshot is still there, and whole, the job finds out before it touches the phone (job-snapshots.ts).
 */
export async function acceptRestore(
  parts: JobParts & FundsParts & { snapshots: SnapshotStore },
  caller: Caller,
  { name, id }: { name: string; id: string },
): Promise<DeviceDocument> {
  const { device, snapshot } = await findSnapshot(parts, caller, name, id);
  assertReady(snapshot);
  assertMayBegin(device, 'restore');
  await assertMayRun(parts, device);
  return acceptJob(parts, device, { kind: 'restore', requestedBy: caller.keyId, snapshot: id });
}
