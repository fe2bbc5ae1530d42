import { clone, create } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf, callOf } from '../../kit/rpc/context.js';
import {
  CreateDeviceRequestSchema,
  type CreateDeviceResponse,
  CreateDeviceResponseSchema,
  type DeviceService,
} from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { createDevice, type CreateDeviceParts } from '../devices/create-device.js';
import { deviceMessage } from '../devices/device-message.js';
import { listDevices } from '../devices/list-devices.js';
import { runDeviceJob } from '../devices/run-device-job.js';
import type { ChosenIds, Once } from '../idempotency/once.js';
import { REPLAYED_HEADER } from '../../kit/rpc/context.js';
import { jobMessage, jobOf, jobWithDevice } from '../jobs/job-message.js';

/** Unpack, call, pack. */
export function deviceRpc(parts: CreateDeviceParts & { once: Once }): ServiceImpl<typeof DeviceService> {
  const message = (device: Parameters<typeof deviceMessage>[0]) => deviceMessage(device, parts.clock.now());
  /** The create job; of a device that an earlier try made long ago, where it has gone since. */
  const createJobOf = async (device: Parameters<typeof deviceMessage>[0], ids: ChosenIds | undefined) => {
    if (ids === undefined) return jobOf(device);
    const filed = jobWithDevice(device, ids.jobId) === undefined ? await parts.jobs.find(ids.jobId) : null;
    return filed === null ? jobWithDevice(device, ids.jobId) : jobMessage({ ...filed, id: filed._id });
  };
  return {
    createDevice: async (request, context) => {
      const caller = callerOf(context);
      const { idempotencyKey } = request;
      const work = async (ids?: ChosenIds): Promise<CreateDeviceResponse> => {
        const device = await createDevice(parts, caller, request, ids);
        return create(CreateDeviceResponseSchema, { job: await createJobOf(device, ids), device: message(device) });
      };
      if (idempotencyKey === undefined) return work();
      const asked = clone(CreateDeviceRequestSchema, request);
      delete asked.idempotencyKey;
      const { response, replayed } = await parts.once.run(
        { callerId: caller.keyId, idempotencyKey, schema: CreateDeviceRequestSchema, message: asked },
        CreateDeviceResponseSchema,
        work,
        callOf(context).signal,
      );
      if (replayed) context.responseHeader.set(REPLAYED_HEADER, 'true');
      return response;
    },
    listDevices: async (request, context) => {
      const { items, ...page } = await listDevices(parts.devices, callerOf(context), request);
      return { devices: items.map(message), ...page };
    },
    getDevice: async ({ name }, context) => ({
      device: message(await findVisibleDevice(parts.devices, callerOf(context), name)),
    }),
    startDevice: async ({ name }, context) => ({
      job: jobOf(await runDeviceJob(parts, callerOf(context), name, 'start')),
    }),
    stopDevice: async ({ name }, context) => ({
      job: jobOf(await runDeviceJob(parts, callerOf(context), name, 'stop')),
    }),
    restartDevice: async ({ name }, context) => ({
      job: jobOf(await runDeviceJob(parts, callerOf(context), name, 'restart')),
    }),
    deleteDevice: async ({ name }, context) => ({
      job: jobOf(await runDeviceJob(parts, callerOf(context), name, 'delete')),
    }),
  };
}
