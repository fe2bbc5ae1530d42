import type { ServiceImpl } from '@connectrpc/connect';
import type { Authenticate } from '../../../kit/rpc/caller.js';
import type { AccessService } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { listSubscribers } from '../keys/keys.js';
import type { AccountsContext } from '../accounts-context.js';

/** Adapts authentication to its rpcs, for the other services. */
export function accessRpc(context: AccountsContext, authenticate: Authenticate): ServiceImpl<typeof AccessService> {
  return {
    authenticate: async ({ authorization, clientAddress }) => ({
      caller: await authenticate(authorization, clientAddress === '' ? undefined : clientAddress),
    }),
    listSubscribers: async (request) => ({ subscribers: await listSubscribers(context, request) }),
  };
}
