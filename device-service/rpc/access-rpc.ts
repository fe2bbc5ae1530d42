import type { ServiceImpl } from '@connectrpc/connect';
import type { Authenticate } from '../../kit/rpc/caller.js';
import type { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { listSubscribers } from '../access/list-subscribers.js';
import type { AccountStore } from '../store/accounts.js';
import type { KeyStore } from '../store/keys.js';

/** Unpack, call, pack: authentication, for the other services. */
export function accessRpc(parts: {
  authenticate: Authenticate;
  accounts: AccountStore;
  keys: KeyStore;
}): ServiceImpl<typeof AccessService> {
  const { authenticate } = parts;
  return {
    authenticate: async ({ authorization }) => ({ caller: await authenticate(authorization) }),
    listSubscribers: async (request) => ({ subscribers: await listSubscribers(parts, request) }),
  };
}
