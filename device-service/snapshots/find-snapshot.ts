import { ApiError } from '../../kit/errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { SnapshotDocument, SnapshotStore } from '../store/snapshots.js';

/** Returns a snapshot of the device `name`. One of another device is not found. */
export async function findSnapshot(
  { devices, snapshots }: { devices: DeviceStore; snapshots: SnapshotStore },
  caller: Caller,
  name: string,
  id: string,
): Promise<{ device: DeviceDocument; snapshot: SnapshotDocument }> {
  const device = await findVisibleDevice(devices, caller, name);
  const snapshot = await snapshots.find(id);
  if (snapshot?.phoneId !== device._id || snapshot.state === 'deleting') throw noSuchSnapshot(name, id);
  return { device, snapshot };
}

/** Throws unless the snapshot can be restored and cloned. */
export function assertReady({ _id, state, jobId }: SnapshotDocument): void {
  if (state === 'saving') {
    throw new ApiError(
      'busy',
      `The snapshot "${_id}" is still being saved. Wait for its job: GET /v1/jobs/${jobId}?wait_s=30.`,
    );
  }
  if (state !== 'ready') {
    throw new ApiError('bad_request', `The snapshot "${_id}" failed, so there is nothing in it. Choose another.`);
  }
}

export function noSuchSnapshot(name: string, id: string): ApiError {
  return new ApiError(
    'not_found',
    `There is no snapshot "${id}" of the device "${name}". GET /v1/devices/${name}/snapshots lists those that there are.`,
  );
}
