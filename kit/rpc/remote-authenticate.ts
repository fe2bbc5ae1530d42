import { createClient, type Transport } from '@connectrpc/connect';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Clock } from '../async/clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors/api-error.js';
import { CallerCache } from './caller-cache.js';

/**
 * Returns a cache that finds the caller of an Authorization header. The device service authenticates the header; the cache remembers the
 * caller for `ttlMs`.
 */
export function callersOver(device: Transport, options: { clock: Clock; ttlMs: number }): CallerCache {
  const access = createClient(AccessService, device);
  return new CallerCache({
    ...options,
    ask: async (authorization, clientAddress = '') => {
      const { caller } = await access.authenticate({ authorization, clientAddress });
      if (caller === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
      return caller;
    },
  });
}
