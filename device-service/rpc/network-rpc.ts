import type { ServiceImpl } from '@connectrpc/connect';
import { pageOfAll } from '../../kit/page.js';
import { callerOf } from '../../kit/rpc/context.js';
import { enumOf } from '../../kit/wire-words.js';
import { ExitTypeSchema } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { NetworkService } from '../../proto/gen/cloudphone/device/v1/network_service_pb.js';
import { jobOf } from '../jobs/job-message.js';
import { changeNetwork, type ChangeNetworkParts, rotateNetwork } from '../network/change-network.js';
import type { ProxyChecks } from '../network/check-proxy.js';

/** Unpack, call, pack. */
export function networkRpc(parts: ChangeNetworkParts & { checks: ProxyChecks }): ServiceImpl<typeof NetworkService> {
  return {
    listNetworkOptions: (request) => {
      const all = parts.exits.options();
      const { items, ...page } = pageOfAll(all, request, ({ type, country }) => `${type} ${country}`);
      const options = items.map(({ type, country, timezones, rotates }) => ({
        ...{ type: enumOf(ExitTypeSchema, type), country, timezones: [...timezones], rotates },
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
      const { seen, ...outcome } = await parts.checks.check(accountId, proxy, context.signal);
      return { ...outcome, address: seen?.address, country: seen?.country };
    },
  };
}
