import { ApiError, UNAUTHORIZED_MESSAGE } from '../../kit/errors.js';
import { assertShares, type Authenticate } from '../../kit/rpc/caller.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { credentialOf } from '../callers/credential.js';
import { type Middleware, routeOf } from '../context.js';
import type { Rates } from '../rates/rate-windows.js';

export interface AuthenticateParts {
  authenticate: Authenticate;
  /** Whether the caller of a credential is known without a look-up. */
  knowsCaller: (authorization: string) => boolean;
  publicUrl: URL | undefined;
  rates: Rates;
}

/** Finds the caller by API key, by the token of a share, or by the panel's session cookie, and puts it into the Call. Public routes have none. */
export function authenticateCaller({ authenticate, knowsCaller, publicUrl, rates }: AuthenticateParts): Middleware {
  const { limit, windows } = rates.stranger;
  return async (ctx, next) => {
    if (routeOf(ctx).scope === Scope.PUBLIC) {
      await next();
      return;
    }
    const { call } = ctx.state;
    const authorization = credentialOf(ctx, publicUrl);
    if (authorization === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    // An unknown key costs a look-up. limitStrangers counts this refusal, and gives it the headers of the address's window.
    if (windows.peek(ctx.ip) >= limit && !knowsCaller(authorization)) {
      throw new ApiError(
        'rate_limited',
        'Too many requests with unknown keys came from this address. Try again in a minute.',
      );
    }
    const caller = await call.unlessEnded(authenticate(authorization));
    assertShares(caller, routeOf(ctx).traits);
    call.caller = caller;
    call.authorization = authorization;
    await next();
  };
}
