import { create } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { callerOf, callOf } from '../../kit/rpc/context.js';
import {
  CreateDeviceRequestSchema,
  CreateDeviceResponseSchema,
  type DeviceService,
} from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { updateConditions, type UpdateConditionsParts } from '../conditions/update-conditions.js';
import { changeLabels } from '../devices/change-labels.js';
import { createDevice } from '../devices/create-device.js';
import { setIdleStop } from '../devices/idle-stop.js';
import { deviceMessage } from '../devices/device-message.js';
import { listDevices } from '../devices/list-devices.js';
import type { MakeDeviceParts } from '../devices/make-device.js';
import { runDeviceJob } from '../devices/run-device-job.js';
import type { Once } from '../idempotency/once.js';
import { jobOf } from '../jobs/job-message.js';
import type { JobKindWord } from '../store/device-document.js';
import { switchTimeline } from '../timeline/switch-timeline.js';
import { makeOnce, makingJobOf } from './make-once.js';

/** Unpack, call, pack. */
export function deviceRpc(
  parts: MakeDeviceParts & UpdateConditionsParts & { once: Once },
): ServiceImpl<typeof DeviceService> {
  const message = (device: Parameters<typeof deviceMessage>[0]) => deviceMessage(device, parts.clock.now());
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
    updateDevice: async ({ name, labels, timeline, idleStopS }, context) => {
      const caller = callerOf(context);
      let device = await changeLabels(parts.devices, caller, name, labels);
      if (timeline !== undefined) device = await switchTimeline(parts.devices, device, timeline);
      if (idleStopS !== undefined) device = await setIdleStop(parts, caller, name, idleStopS);
      return {
        device: message(device),
      };
    },
    updateConditions: async (request, context) => ({
      device: await updateConditions(parts, callerOf(context), request, callOf(context)),
    }),
    startDevice: accept('start'),
    stopDevice: accept('stop'),
    restartDevice: accept('restart'),
    deleteDevice: accept('delete'),
  };
}
