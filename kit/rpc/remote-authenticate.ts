import { createClient, type Transport } from '@connectrpc/connect';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Clock } from '../clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors.js';
import { CallerCache } from './caller-cache.js';

/** The callers of headers, as the device service authenticates them, each remembered for `ttlMs`. */
export function callersOver(device: Transport, options: { clock: Clock; ttlMs: number }): CallerCache {
  const access = createClient(AccessService, device);
  return new CallerCache({
    ...options,
    ask: async (authorization) => {
      const { caller } = await access.authenticate({ authorization });
      if (caller === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
      return caller;
    },
  });
}
