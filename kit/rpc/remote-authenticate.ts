import { createClient, type Transport } from '@connectrpc/connect';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Clock } from '../clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors.js';
import type { Authenticate } from './caller.js';
import { CallerCache } from './caller-cache.js';

/** Asks the access part of the device service who a header stands for, and remembers the answer for `ttlMs`. */
export function authenticateOver(device: Transport, options: { clock: Clock; ttlMs: number }): Authenticate {
  return callersOver(device, options).authenticate;
}

/** The same, for who also has to forget. */
export function callersOver(device: Transport, options: { clock: Clock; ttlMs: number }): CallerCache {
  const access = createClient(AccessService, device);
  const ask: Authenticate = async (authorization) => {
    const { caller } = await access.authenticate({ authorization });
    if (caller === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    return caller;
  };
  return new CallerCache({ ask, ...options });
}
