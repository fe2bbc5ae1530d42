import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findDeviceToChange } from '../../accounts/callers/leased.js';
import type { SnapshotCopies } from './snapshot-copies.js';
import { snapshotsOf } from '../phones/phone-drivers.js';
import { snapshotSupport } from '../hosts/place-phone.js';
import { acceptJob, assertMayBegin } from '../jobs/accept-job.js';
import type { Worker } from '../jobs/worker.js';
import { MAX_SNAPSHOTS } from '../limits.js';
import type { ResidentHelpers } from '../phones/resident-helpers.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { SnapshotWork } from '../../store/job-work.js';
import type { SnapshotDocument, SnapshotStore } from '../../store/snapshots.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Accepts a job that saves the phone of the device `name`. The snapshot's document is written after the job was accepted, and by the
 * job's worker too. So after a crash in between, the job does all of it.
 */
export async function acceptSnapshot(
  context: DevicesContext,
  caller: Caller,
  { name, label = '' }: { name: string; label?: string | undefined },
): Promise<{ device: DeviceDocument; snapshot: SnapshotDocument }> {
  const device = await findDeviceToChange(context.devices, caller, name);
  await assertCanBeSaved(context, device);
  assertMayBegin(device, 'snapshot');
  if ((await context.snapshots.count(device._id)) >= MAX_SNAPSHOTS) {
    throw new ApiError('rate_limited', `A device has at most ${MAX_SNAPSHOTS} snapshots. Delete one first.`);
  }
  const snapshotId = createId('snap', context.clock.now());
  const work = { kind: 'snapshot' as const, snapshotId, label };
  const need = { id: snapshotId, devices: 0, bytes: device.storageBytes ?? 0 };
  return context.quotas.within(device.accountId, need, async () => {
    const claimed = await acceptJob(context, device, { kind: 'snapshot', requestedBy: caller.keyId, work });
    return { device: claimed, snapshot: await context.snapshots.begin(documentOf(claimed, work)) };
  });
}

/** Does the work of a job `snapshot`. It may be done again: a snapshot that is saved already is kept. */
export function saveSnapshot(
  snapshots: SnapshotStore,
  helpers: Pick<ResidentHelpers, 'release'>,
  copies: Pick<SnapshotCopies, 'wakeup'>,
): Worker<SnapshotWork> {
  return async ({ work, device, driver, signal, onProgress }) => {
    const { snapshotId } = work;
    await snapshots.begin(documentOf(device, work));
    // Helpers do not start again while the job is at work. A driver that saves the memory of a phone would save running helpers too.
    await helpers.release([device._id]);
    const taken = await snapshotsOf(driver).take(device._id, snapshotId, { signal, onProgress });
    await snapshots.saved(snapshotId, taken);
    copies.wakeup.soon();
    return { result: { snapshot: snapshotId } };
  };
}

function documentOf(device: DeviceDocument, { snapshotId, label }: SnapshotWork): SnapshotDocument {
  const { _id: phoneId, accountId, hostId, driver, model, android, job, storageBytes } = device;
  if (job === undefined) throw new Error('a snapshot is saved by a job');
  const { id: jobId, createdAt } = job;
  return {
    _id: snapshotId,
    accountId,
    phoneId,
    jobId,
    hostId,
    driver,
    label,
    state: 'saving',
    ...(storageBytes !== undefined && { expectedBytes: storageBytes }),
    model,
    android,
    createdAt,
  };
}

async function assertCanBeSaved(context: DevicesContext, device: DeviceDocument): Promise<void> {
  const { name, model, state } = device;
  const can = await snapshotSupport(context, device);
  if (can === 'none') {
    const message = `Snapshots of "${name}" cannot be taken: phones of model "${model}" keep none (GET /v1/models).`;
    throw new ApiError('bad_request', message);
  }
  if (can === 'stopped' && state === 'running') {
    const message = `The device "${name}" is running, and phones of model "${model}" are saved while they are off. Call POST /v1/devices/${name}/stop first.`;
    throw new ApiError('busy', message);
  }
}
