import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readPage } from '../../../kit/call/page.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  type Snapshot,
  SnapshotSchema,
  SnapshotStateSchema,
} from '../../../proto/gen/cloudphone/device/v1/snapshot_pb.js';
import type { ListSnapshotsRequest } from '../../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { SnapshotDocument } from '../../store/snapshots.js';
import type { DevicesContext } from '../devices-context.js';

/** A snapshot as callers see it. */
export function snapshotMessage(snapshot: SnapshotDocument, { name }: Pick<DeviceDocument, 'name'>): Snapshot {
  const { _id: id, label, state, sizeBytes = 0, checksum, android, model, createdAt } = snapshot;
  return create(SnapshotSchema, {
    ...{ id, device: name, label, android, model },
    state: enumOf(SnapshotStateSchema, state),
    size: sizeBytes,
    createdAt: timestampFromDate(createdAt),
    checksum,
  });
}

/** The snapshots of a device, newest first. */
export async function listSnapshots(
  { devices, snapshots }: DevicesContext,
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

/** Returns a snapshot of the device `name`. One of another device is not found. */
export async function findSnapshot(
  { devices, snapshots }: DevicesContext,
  caller: Caller,
  name: string,
  id: string,
  findDevice: typeof findVisibleDevice = findVisibleDevice,
): Promise<{ device: DeviceDocument; snapshot: SnapshotDocument }> {
  const device = await findDevice(devices, caller, name);
  const snapshot = await snapshots.find(id);
  if (snapshot?.phoneId !== device._id || snapshot.state === 'deleting') throw noSuchSnapshot(name, id);
  return { device, snapshot };
}

export function noSuchSnapshot(name: string, id: string): ApiError {
  return new ApiError(
    'not_found',
    `There is no snapshot "${id}" of the device "${name}". GET /v1/devices/${name}/snapshots lists those that there are.`,
  );
}
