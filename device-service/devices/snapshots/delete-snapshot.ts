import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findDeviceToChange } from '../../accounts/callers/leased.js';
import type { JobKindWord } from '../../store/device-document.js';
import type { SnapshotDocument } from '../../store/snapshots.js';
import { findSnapshot, noSuchSnapshot } from './snapshots.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Deletes a snapshot. The deletion marks the snapshot first, and then searches for a job that uses it. A job is accepted first, and then
 * checks the mark. So when both come at the same time, at least one is refused.
 *
 * A crash may leave a marked snapshot. The sweep of the snapshot's host then deletes it. The sweep also deletes a snapshot that was marked
 * on another host.
 */
export async function deleteSnapshot(
  context: DevicesContext,
  caller: Caller,
  { name, id }: { name: string; id: string },
): Promise<void> {
  const { snapshots, devices, dispatch, log } = context;
  const { device, snapshot } = await findSnapshot(context, caller, name, id, findDeviceToChange);
  const { job } = device;
  if (snapshot.state === 'saving' && job?.id === snapshot.jobId) throw inUse(id, 'saved', job.id);
  const whyUsed = async (): Promise<ApiError | undefined> => {
    const using = (await devices.findBySnapshot(id))?.job;
    return using && inUse(id, USES[using.kind] ?? 'used', using.id);
  };
  // A mark would fail a job that reads the snapshot just now, so one that is known to be of use is not marked.
  const known = await whyUsed();
  if (known !== undefined) throw known;
  if (!(await snapshots.beginDelete(id))) throw noSuchSnapshot(name, id);
  const use = await whyUsed();
  if (use !== undefined) {
    await snapshots.keep(id);
    throw use;
  }
  if (!dispatch.isOwn(snapshot.hostId)) return;
  await removeSnapshot(context, snapshot).catch((error: unknown) =>
    log.warn({ snapshot: id, err: error }, 'could not remove the files of a snapshot; trying again later'),
  );
}

/**
 * Removes the files of a marked snapshot, then its document. Where a copy was begun, the document stays: the sweep of the host removes the
 * object, and the document after it. So an object store that is away holds up no caller and no job.
 */
export async function removeSnapshot(
  { snapshots, snapshotCopies, drivers }: Pick<DevicesContext, 'snapshots' | 'snapshotCopies' | 'drivers'>,
  snapshot: SnapshotDocument,
): Promise<void> {
  await snapshotCopies.stop(snapshot._id);
  await drivers.of(snapshot).snapshots?.delete(snapshot._id);
  // A copy may have begun since the document was read. None begins once it is marked.
  if ((await snapshots.find(snapshot._id))?.copyBegun !== true) await snapshots.forget(snapshot._id);
}

/** What jobs of a snapshot do with it. */
const USES: Partial<Record<JobKindWord, string>> = {
  clone: 'cloned',
  restore: 'restored',
  template: 'made into a template',
};

function inUse(id: string, how: string, jobId: string): ApiError {
  return new ApiError(
    'busy',
    `The snapshot "${id}" is being ${how}. Wait for the job: GET /v1/jobs/${jobId}?wait_s=30.`,
  );
}
