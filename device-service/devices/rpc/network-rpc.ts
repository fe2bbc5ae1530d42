import type { ServiceImpl } from '@connectrpc/connect';
import { pageOfAll } from '../../../kit/call/page.js';
import { callerOf } from '../../../kit/rpc/context.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import { ExitTypeSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { NetworkService } from '../../../proto/gen/cloudphone/device/v1/network_service_pb.js';
import { jobOf } from '../../record/job-message.js';
import { exitDrivers } from '../hosts/place-phone.js';
import { changeNetwork, rotateNetwork } from '../network/change-network.js';
import type { DevicesContext } from '../devices-context.js';

/** Adapts the operations of exits to their rpcs. */
export function networkRpc(parts: DevicesContext): ServiceImpl<typeof NetworkService> {
  return {
    listNetworkOptions: async (request) => {
      const all = parts.exits.options(await exitDrivers(parts));
      const { items, ...page } = pageOfAll(all, request, ({ type, country }) => `${type} ${country}`);
      const options = items.map(({ type, country, timezones, rotates, drivers }) => ({
        ...{ type: enumOf(ExitTypeSchema, type), country, timezones: [...timezones], rotates },
        drivers: [...drivers],
      }));
      return { options, ...page };
    },
    changeNetwork: async (request, context) => ({
      job: jobOf(await changeNetwork(parts, callerOf(context), request)),
    }),
    rotateNetwork: async ({ name }, context) => ({
      job: jobOf(await rotateNetwork(parts, callerOf(context), name)),
    }),
    checkProxy: async ({ proxy }, context) => {
      const { accountId } = callerOf(context);
      const { seen, ...outcome } = await parts.proxyChecks.check(accountId, proxy, context.signal);
      return { ...outcome, address: seen?.address, country: seen?.country };
    },
  };
}
