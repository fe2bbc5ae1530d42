import type { ServiceImpl } from '@connectrpc/connect';
import type { Log } from '../../kit/log.js';
import { callerOf } from '../../kit/rpc/context.js';
import type { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import type { ResidentHelpers } from '../phones/resident-helpers.js';
import { checkUses, type CheckUsesParts } from '../phones/check-uses.js';
import { findUsableDevice, locatePhone } from '../phones/locate-phone.js';
import { locatePhones } from '../phones/locate-phones.js';
import type { Hosts } from '../hosts/hosts.js';

export interface PhoneRpcParts extends CheckUsesParts {
  hosts: Pick<Hosts, 'wake'>;
  helpers: ResidentHelpers;
  log: Log;
}

/** Unpack, call, pack: where phones are, for the services that connect to them. */
export function phoneRpc(parts: PhoneRpcParts): ServiceImpl<typeof PhoneService> {
  const { devices, hosts, helpers, log } = parts;
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
    checkUses: async ({ uses }) => ({ allowed: await checkUses(parts, uses) }),
    reportPhone: async ({ phoneId, foundIdentity }) => {
      log.warn({ phone: phoneId, found: foundIdentity }, 'a phone is reported to be another one, or out of reach');
      const device = await devices.findById(phoneId);
      if (device !== null) hosts.wake(device);
      return {};
    },
  };
}
