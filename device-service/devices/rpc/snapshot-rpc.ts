import { create } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../../kit/rpc/context.js';
import {
  CloneSnapshotRequestSchema,
  CloneSnapshotResponseSchema,
  type SnapshotService,
} from '../../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { deviceMessage } from '../../record/device-message.js';
import { jobOf } from '../../record/job-message.js';
import { cloneDevice } from '../snapshots/clone-device.js';
import { deleteSnapshot } from '../snapshots/delete-snapshot.js';
import { acceptRestore } from '../snapshots/restore-snapshot.js';
import { listSnapshots, snapshotMessage } from '../snapshots/snapshots.js';
import { acceptSnapshot } from '../snapshots/take-snapshot.js';
import { makeOnce, makingJobOf } from './make-once.js';
import type { DevicesContext } from '../devices-context.js';

/** Adapts the operations of snapshots to their rpcs. */
export function snapshotRpc(parts: DevicesContext): ServiceImpl<typeof SnapshotService> {
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
