import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../../kit/rpc/context.js';
import type { PhoneService } from '../../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { checkUses } from '../phones/check-uses.js';
import { findUsableDevice, locatePhone, locatePhones } from '../phones/locate-phone.js';
import type { DevicesContext } from '../devices-context.js';

/** Adapts the look-up of phones to the rpcs of PhoneService, which other services call to connect to phones. */
export function phoneRpc(parts: DevicesContext): ServiceImpl<typeof PhoneService> {
  const { devices, dispatch, helpers, log } = parts;
  return {
    locatePhone: (request, context) => locatePhone(parts, callerOf(context), request),
    identifyPhone: async (request, context) => {
      const { _id: phoneId, accountId } = await findUsableDevice(devices, callerOf(context), request);
      return { phoneId, accountId };
    },
    lendPhones: async ({ phoneIds }) => {
      await helpers.lend(phoneIds);
      return {};
    },
    locatePhones: async ({ phoneIds }) => ({ phones: await locatePhones(devices, phoneIds) }),
    checkUses: ({ uses }) => checkUses(parts, uses),
    phoneExists: async ({ phoneId }) => {
      const device = await devices.findById(phoneId);
      return { exists: device !== null && device.gone !== true };
    },
    reportPhone: async ({ phoneId, foundIdentity }) => {
      log.warn({ phone: phoneId, found: foundIdentity }, 'a phone is reported to be another one, or out of reach');
      const device = await devices.findById(phoneId);
      if (device !== null) dispatch.wake(device);
      return {};
    },
  };
}
