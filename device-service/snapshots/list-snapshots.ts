import { readPage } from '../../kit/page.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Snapshot } from '../../proto/gen/cloudphone/device/v1/snapshot_pb.js';
import type { ListSnapshotsRequest } from '../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import type { DeviceStore } from '../store/devices.js';
import type { SnapshotStore } from '../store/snapshots.js';
import { snapshotMessage } from './snapshot-message.js';

/** The snapshots of a device, newest first. */
export async function listSnapshots(
  { devices, snapshots }: { devices: DeviceStore; snapshots: SnapshotStore },
  caller: Caller,
  request: ListSnapshotsRequest,
): Promise<{ items: Snapshot[]; nextCursor?: string }> {
  const device = await findVisibleDevice(devices, caller, request.name);
  const { items, ...page } = await readPage(
    request,
    (limit, beforeId) => snapshots.list(device._id, limit, beforeId),
    ({ _id }) => _id,
  );
  return { items: items.map((snapshot) => snapshotMessage(snapshot, device)), ...page };
}
