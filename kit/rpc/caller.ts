import type { Interceptor } from '@connectrpc/connect';
import type { Clock } from '../async/clock.js';
import { type Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors/api-error.js';
import { callOf } from './context.js';
import { isInternal, routeOf } from './mesh.js';
import { whileAllowed } from './while-allowed.js';

/** Turns the value of an Authorization header into a caller; throws unauthorized. */
export type Authenticate = (authorization: string) => Promise<Caller>;

/**
 * Server side: authenticates the caller, and checks that its scope includes what the route needs. A service that calls an internal rpc for
 * a caller passes on the caller's header. A service that calls it for itself sends none. A stream ends soon after the key of its caller was
 * revoked.
 */
export function identifyCaller(authenticate: Authenticate, clock: Clock): Interceptor {
  return (next) => async (request) => {
    const traits = routeOf(request.method);
    const isPublic = traits === undefined ? !isInternal(request.method) : traits.scope === Scope.PUBLIC;
    if (isPublic) return next(request);
    const call = callOf({ values: request.contextValues });
    const { authorization } = call;
    if (authorization === undefined) {
      if (traits === undefined) return next(request);
      throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    }
    const caller = await authenticate(authorization);
    if (traits !== undefined) {
      assertShares(caller, traits);
      assertScope(caller, traits.scope);
    }
    call.caller = caller;
    const response = await next(request);
    if (!response.stream) return response;
    return {
      ...response,
      message: whileAllowed(response.message, () => authenticate(authorization), clock, call.signal),
    };
  };
}

/**
 * Throws the error of a wrong key when the caller uses a share and the route is not open to shares. The edge and every service call it. It
 * is not called for internal rpcs: their handlers check shares themselves (LocatePhone).
 */
export function assertShares(caller: Caller, { shares }: { shares: boolean }): void {
  if (caller.sharedPhoneId !== undefined && !shares) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
}

/** Throws forbidden unless the caller's scope includes what the route needs. Used by the edge and by every service. */
export function assertScope(caller: Caller, needed: Scope): void {
  if (needed !== Scope.UNSPECIFIED && caller.scope >= needed) return;
  if (caller.sharedPhoneId !== undefined) throw new ApiError('forbidden', 'This link is for watching only.');
  throw new ApiError(
    'forbidden',
    needed === Scope.OWNER
      ? 'API keys cannot do this. Sign in to the control panel.'
      : 'This key is read-only. Use a key with scope control.',
  );
}
