import type { ServiceImpl } from '@connectrpc/connect';
import type { Clock } from '../../kit/clock.js';
import type { Authenticate } from '../../kit/rpc/caller.js';
import type { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { listSubscribers } from '../access/list-subscribers.js';
import type { KeyStore } from '../store/keys.js';
import type { SessionStore } from '../store/sessions.js';

/** Unpack, call, pack: who callers are, for the other services. */
export function accessRpc(parts: {
  authenticate: Authenticate;
  keys: KeyStore;
  sessions: SessionStore;
  clock: Clock;
}): ServiceImpl<typeof AccessService> {
  const { authenticate, keys, sessions, clock } = parts;
  return {
    authenticate: async ({ authorization }) => ({ caller: await authenticate(authorization) }),
    listSubscribers: async (request) => ({ subscribers: await listSubscribers(keys, request) }),
    checkKeys: async ({ keyIds }) => {
      const ofSessions = keyIds.filter((id) => id.startsWith('ses_'));
      const [good, signedIn] = await Promise.all([
        keys.findGood(keyIds),
        ofSessions.length === 0 ? [] : sessions.findGood(ofSessions, new Date(clock.now())),
      ]);
      return { goodKeyIds: [...good, ...signedIn] };
    },
  };
}
