import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { withLimit } from '../converge/take-step.js';
import type { Hosts } from '../hosts/hosts.js';
import { STEP_MS } from '../limits.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import type { DeviceStore } from '../store/devices.js';
import type { SnapshotDocument, SnapshotStore } from '../store/snapshots.js';
import { findSnapshot, noSuchSnapshot } from './find-snapshot.js';

export interface RemoveSnapshotParts {
  snapshots: SnapshotStore;
  drivers: PhoneDrivers;
}

/**
 * Deletes a snapshot. This function marks the snapshot first, and then searches for a job that uses it; a job is accepted first, and then
 * checks the mark. So when a job and a deletion come at the same time, one of the two gives way. After a crash between mark and
 * deletion, the sweep of the snapshot's host deletes it; so it does for a snapshot of another host.
 */
export async function deleteSnapshot(
  parts: RemoveSnapshotParts & { devices: DeviceStore; hosts: Hosts; log: Log },
  caller: Caller,
  { name, id }: { name: string; id: string },
): Promise<void> {
  const { snapshots, devices, hosts, log } = parts;
  const { device, snapshot } = await findSnapshot(parts, caller, name, id);
  const { job } = device;
  if (snapshot.state === 'saving' && job?.id === snapshot.jobId) throw inUse(id, 'saved', job.id);
  if (!(await snapshots.beginDelete(id))) throw noSuchSnapshot(name, id);
  const user = await devices.findBySnapshot(id);
  if (user?.job !== undefined) {
    await snapshots.keep(id);
    throw inUse(id, user.job.kind === 'clone' ? 'cloned' : 'restored', user.job.id);
  }
  if (!hosts.isOwn(snapshot.hostId)) return;
  await removeSnapshot(parts, snapshot).catch((error: unknown) =>
    log.warn({ snapshot: id, err: error }, 'could not remove the files of a snapshot; trying again later'),
  );
}

/** Removes the files of a snapshot that is marked, then forgets it. */
export async function removeSnapshot(
  { snapshots, drivers }: RemoveSnapshotParts,
  snapshot: SnapshotDocument,
): Promise<void> {
  await drivers.of(snapshot).snapshots?.delete(snapshot._id);
  await snapshots.forget(snapshot._id);
}

/** Removes the files of a snapshot that failed. A failure is logged, and the sweep of its host tries again. */
export async function removeFiles(
  { drivers, clock, log }: { drivers: PhoneDrivers; clock: Clock; log: Log },
  { _id, driver }: Pick<SnapshotDocument, '_id' | 'driver'>,
  signal: AbortSignal,
): Promise<void> {
  const files = drivers.of({ driver }).snapshots;
  try {
    await withLimit(clock, STEP_MS.delete, signal, async () => files?.delete(_id));
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ snapshot: _id, err: error }, 'could not remove the files of a snapshot that failed; trying again later');
  }
}

function inUse(id: string, how: string, jobId: string): ApiError {
  return new ApiError(
    'busy',
    `The snapshot "${id}" is being ${how}. Wait for the job: GET /v1/jobs/${jobId}?wait_s=30.`,
  );
}
