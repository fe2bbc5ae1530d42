import { create } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import type { Log } from '../../kit/log.js';
import { callerOf } from '../../kit/rpc/context.js';
import {
  CloneSnapshotRequestSchema,
  CloneSnapshotResponseSchema,
  type SnapshotService,
} from '../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { deviceMessage } from '../devices/device-message.js';
import type { MakeDeviceParts } from '../devices/make-device.js';
import type { Once } from '../idempotency/once.js';
import { jobOf } from '../jobs/job-message.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import { cloneDevice } from '../snapshots/clone-device.js';
import { deleteSnapshot } from '../snapshots/delete-snapshot.js';
import { listSnapshots } from '../snapshots/list-snapshots.js';
import { acceptRestore } from '../snapshots/restore-snapshot.js';
import { snapshotMessage } from '../snapshots/snapshot-message.js';
import { acceptSnapshot } from '../snapshots/take-snapshot.js';
import type { SnapshotStore } from '../store/snapshots.js';
import { makeOnce, makingJobOf } from './make-once.js';

/** Unpack, call, pack. */
export function snapshotRpc(
  parts: MakeDeviceParts & { snapshots: SnapshotStore; drivers: PhoneDrivers; once: Once; log: Log },
): ServiceImpl<typeof SnapshotService> {
  return {
    createSnapshot: async (request, context) => {
      const { device, snapshot } = await acceptSnapshot(parts, callerOf(context), request);
      return { job: jobOf(device), snapshot: snapshotMessage(snapshot, device) };
    },
    listSnapshots: async (request, context) => {
      const { items, ...page } = await listSnapshots(parts, callerOf(context), request);
      return { snapshots: items, ...page };
    },
    restoreSnapshot: async (request, context) => ({
      job: jobOf(await acceptRestore(parts, callerOf(context), request)),
    }),
    cloneSnapshot: (request, context) => {
      const schemas = { request: CloneSnapshotRequestSchema, response: CloneSnapshotResponseSchema };
      return makeOnce(parts.once, context, request, schemas, async (ids) => {
        const device = await cloneDevice(parts, callerOf(context), request, ids);
        const job = await makingJobOf(parts.jobs, device, ids);
        return create(CloneSnapshotResponseSchema, { job, device: deviceMessage(device, parts.clock.now()) });
      });
    },
    deleteSnapshot: async (request, context) => {
      await deleteSnapshot(parts, callerOf(context), request);
      return {};
    },
  };
}
