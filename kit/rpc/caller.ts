import type { Interceptor } from '@connectrpc/connect';
import { type Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors.js';
import { callerKey } from './context.js';
import { isInternal, routeOf } from './mesh.js';

/** Turns the value of an Authorization header into a caller; throws unauthorized. */
export type Authenticate = (authorization: string) => Promise<Caller>;

/**
 * Server side: who calls, and whether the route is for them. An internal rpc made on a caller's behalf carries the caller's
 * header too; one made on the service's own behalf carries none.
 */
export function identifyCaller(authenticate: Authenticate): Interceptor {
  return (next) => async (request) => {
    const traits = routeOf(request.method);
    const authorization = request.header.get('authorization');
    if (traits === undefined) {
      if (isInternal(request.method) && authorization !== null) {
        request.contextValues.set(callerKey, await authenticate(authorization));
      }
      return next(request);
    }
    if (traits.scope !== Scope.PUBLIC) {
      if (authorization === null) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
      const caller = await authenticate(authorization);
      assertScope(caller, traits.scope);
      request.contextValues.set(callerKey, caller);
    }
    return next(request);
  };
}

/** Throws forbidden unless the caller's scope includes what the route needs. Used by the edge and by every service. */
export function assertScope(caller: Caller, needed: Scope): void {
  if (needed !== Scope.UNSPECIFIED && caller.scope >= needed) return;
  throw new ApiError(
    'forbidden',
    needed === Scope.OWNER
      ? 'API keys cannot do this. Sign in to the control panel.'
      : 'This key is read-only. Use a key with scope control.',
  );
}
