import { ApiError, UNAUTHORIZED_MESSAGE } from '../../kit/errors.js';
import type { Authenticate } from '../../kit/rpc/caller.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { assertSameOrigin } from '../callers/same-origin.js';
import { sessionTokenIn } from '../callers/session-cookie.js';
import { type Context, type Layer, matchOf } from '../exchange.js';

/** Finds out who calls, by API key or by the panel's session cookie. Public routes ask nobody. */
export function authenticateCaller(authenticate: Authenticate, publicUrl: URL | undefined): Layer {
  // Made once: taking a stack trace is a third of what refusing a request costs, and a flood of them should cost little.
  const noKey = new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  return async (context, next) => {
    if (matchOf(context).route.scope !== Scope.PUBLIC) {
      const authorization = credentialOf(context, publicUrl);
      if (authorization === undefined) throw noKey;
      context.state.caller = await authenticate(authorization);
      context.state.authorization = authorization;
    }
    await next();
  };
}

/** What the caller shows. A header stands above a cookie: only the sender itself can have put it there. */
function credentialOf({ req, method }: Context, publicUrl: URL | undefined): string | undefined {
  const { authorization } = req.headers;
  if (authorization !== undefined) return authorization;
  const token = sessionTokenIn(req.headers);
  if (token === undefined) return undefined;
  if (method !== 'GET' && method !== 'HEAD') assertSameOrigin(req.headers, publicUrl);
  return `Session ${token}`;
}
