import { ApiError } from '../../kit/errors.js';
import { createId } from '../../kit/ids.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { snapshotsOf } from '../converge/take-step.js';
import { type PlaceParts, snapshotSupport } from '../hosts/place-phone.js';
import { acceptJob, assertMayBegin, type JobParts } from '../jobs/accept-job.js';
import type { Worker } from '../jobs/worker.js';
import { SNAPSHOTS_MOST } from '../limits.js';
import type { ResidentHelpers } from '../phones/resident-helpers.js';
import type { Quotas } from '../quotas/quotas.js';
import type { DeviceDocument } from '../store/devices.js';
import type { SnapshotWork } from '../store/job-work.js';
import type { SnapshotDocument, SnapshotStore } from '../store/snapshots.js';

export interface TakeSnapshotParts extends JobParts {
  snapshots: SnapshotStore;
  places: PlaceParts;
  quotas: Quotas;
}

/**
 * Accepts a job that saves the phone of the device `name`. The snapshot's document is written after the job was accepted, and by its
 * worker too: a crash in between leaves a job that does all of it.
 */
export async function acceptSnapshot(
  parts: TakeSnapshotParts,
  caller: Caller,
  { name, label = '' }: { name: string; label?: string | undefined },
): Promise<{ device: DeviceDocument; snapshot: SnapshotDocument }> {
  const device = await findVisibleDevice(parts.devices, caller, name);
  await assertCanBeSaved(parts, device);
  assertMayBegin(device, 'snapshot');
  if ((await parts.snapshots.count(device._id)) >= SNAPSHOTS_MOST) {
    throw new ApiError('rate_limited', `A device has at most ${SNAPSHOTS_MOST} snapshots. Delete one first.`);
  }
  const snapshotId = createId('snap', parts.clock.now());
  const work = { kind: 'snapshot' as const, snapshotId, label };
  const need = { id: snapshotId, devices: 0, bytes: device.storageBytes ?? 0 };
  return parts.quotas.within(device.accountId, need, async () => {
    const claimed = await acceptJob(parts, device, { kind: 'snapshot', requestedBy: caller.keyId, work });
    return { device: claimed, snapshot: await parts.snapshots.begin(documentOf(claimed, work)) };
  });
}

/** The work of job `snapshot`. Saving it again finds it saved. */
export function saveSnapshot(
  snapshots: SnapshotStore,
  helpers: Pick<ResidentHelpers, 'release'>,
): Worker<SnapshotWork> {
  return async ({ work, device, driver, signal, onProgress }) => {
    const { snapshotId } = work;
    await snapshots.begin(documentOf(device, work));
    // Helpers do not start again while the job is at work. Drivers that save the memory of a phone would save running helpers too.
    await helpers.release([device._id]);
    const taken = await snapshotsOf(driver).take(device._id, snapshotId, { signal, onProgress });
    await snapshots.saved(snapshotId, taken);
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

async function assertCanBeSaved({ places }: TakeSnapshotParts, device: DeviceDocument): Promise<void> {
  const { name, model, state } = device;
  const can = await snapshotSupport(places, device);
  if (can === 'none') {
    const message = `Snapshots of "${name}" cannot be taken: phones of model "${model}" keep none (GET /v1/models).`;
    throw new ApiError('bad_request', message);
  }
  if (can === 'stopped' && state === 'running') {
    const message = `The device "${name}" is running, and phones of model "${model}" are saved while they are off. Call POST /v1/devices/${name}/stop first.`;
    throw new ApiError('busy', message);
  }
}
