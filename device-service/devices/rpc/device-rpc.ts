import { create } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { callerOf, callOf } from '../../../kit/rpc/context.js';
import {
  CreateDeviceRequestSchema,
  CreateDeviceResponseSchema,
  type DeviceService,
} from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import { updateConditions } from '../conditions/update-conditions.js';
import { createDevice } from '../lifecycle/create-device.js';
import { deviceMessage } from '../../record/device-message.js';
import { listDevices } from '../lifecycle/list-devices.js';
import { runDeviceJob } from '../lifecycle/run-device-job.js';
import { updateDevice } from '../lifecycle/update-device.js';
import { jobOf } from '../../record/job-message.js';
import type { JobKindWord } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { makeOnce, makingJobOf } from './make-once.js';
import type { DevicesContext } from '../devices-context.js';

/** Adapts the operations of devices to their rpcs. */
export function deviceRpc(parts: DevicesContext): ServiceImpl<typeof DeviceService> {
  const message = (device: DeviceDocument) => deviceMessage(device, parts.clock.now());
  const accept =
    (kind: JobKindWord) =>
    async ({ name }: { name: string }, context: HandlerContext) => ({
      job: jobOf(await runDeviceJob(parts, callerOf(context), name, kind)),
    });
  return {
    createDevice: (request, context) => {
      const schemas = { request: CreateDeviceRequestSchema, response: CreateDeviceResponseSchema };
      return makeOnce(parts.once, context, request, schemas, async (ids) => {
        const device = await createDevice(parts, callerOf(context), request, ids);
        const job = await makingJobOf(parts.jobs, device, ids);
        return create(CreateDeviceResponseSchema, { job, device: message(device) });
      });
    },
    listDevices: async (request, context) => {
      const { items, ...page } = await listDevices(parts.devices, callerOf(context), request);
      return { devices: items.map(message), ...page };
    },
    getDevice: async ({ name }, context) => ({
      device: message(await findVisibleDevice(parts.devices, callerOf(context), name)),
    }),
    updateDevice: async (request, context) => ({
      device: message(await updateDevice(parts, callerOf(context), request)),
    }),
    updateConditions: async (request, context) => ({
      device: await updateConditions(parts, callerOf(context), request, callOf(context)),
    }),
    startDevice: accept('start'),
    stopDevice: accept('stop'),
    restartDevice: accept('restart'),
    deleteDevice: accept('delete'),
  };
}
