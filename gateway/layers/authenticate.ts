import { ApiError, UNAUTHORIZED_MESSAGE } from '../../kit/errors.js';
import type { Authenticate } from '../../kit/rpc/caller.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { type Layer, matchOf } from '../exchange.js';

/** Finds out who calls. Public routes ask nobody. */
export function authenticateCaller(authenticate: Authenticate): Layer {
  // Made once: taking a stack trace is a third of what refusing a request costs, and a flood of them should cost little.
  const noKey = new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  return async (context, next) => {
    if (matchOf(context).route.scope !== Scope.PUBLIC) {
      const { authorization } = context.req.headers;
      if (authorization === undefined) throw noKey;
      context.state.caller = await authenticate(authorization);
    }
    await next();
  };
}
