import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../kit/rpc/context.js';
import type { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import { createDevice, type CreateDeviceParts } from '../devices/create-device.js';
import { deviceMessage } from '../devices/device-message.js';
import { listDevices } from '../devices/list-devices.js';
import { runDeviceJob } from '../devices/run-device-job.js';
import { jobOf } from '../jobs/job-message.js';

/** Unpack, call, pack. */
export function deviceRpc(parts: CreateDeviceParts): ServiceImpl<typeof DeviceService> {
  const message = (device: Parameters<typeof deviceMessage>[0]) => deviceMessage(device, parts.clock.now());
  return {
    createDevice: async (request, context) => {
      const device = await createDevice(parts, callerOf(context), request);
      return { job: jobOf(device), device: message(device) };
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
