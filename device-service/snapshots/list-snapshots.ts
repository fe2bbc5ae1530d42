import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Snapshot } from '../../proto/gen/cloudphone/device/v1/snapshot_pb.js';
import type { ListSnapshotsRequest } from '../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { cutPage, pageOf } from '../lists/page.js';
import type { DeviceStore } from '../store/devices.js';
import type { SnapshotStore } from '../store/snapshots.js';
import { snapshotMessage } from './snapshot-message.js';

/** The snapshots of a device, newest first. */
export async function listSnapshots(
  { devices, snapshots }: { devices: DeviceStore; snapshots: SnapshotStore },
  caller: Caller,
  request: ListSnapshotsRequest,
): Promise<{ items: Snapshot[]; nextCursor?: string }> {
  const { limit, after } = pageOf(request);
  const device = await findVisibleDevice(devices, caller, request.name);
  const found = await snapshots.list({
    phoneId: device._id,
    limit: limit + 1,
    ...(after !== undefined && { beforeId: after }),
  });
  return cutPage(
    found.map((snapshot) => snapshotMessage(snapshot, device)),
    limit,
    ({ id }) => id,
  );
}
