import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/wire-words.js';
import {
  type Snapshot,
  SnapshotSchema,
  SnapshotStateSchema,
} from '../../proto/gen/cloudphone/device/v1/snapshot_pb.js';
import type { DeviceDocument } from '../store/devices.js';
import type { SnapshotDocument } from '../store/snapshots.js';

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
