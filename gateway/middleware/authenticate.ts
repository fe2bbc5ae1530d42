import { ApiError, UNAUTHORIZED_MESSAGE } from '../../kit/errors/api-error.js';
import { assertShares, type Authenticate } from '../../kit/rpc/caller.js';
import { assertWorksFrom } from '../../kit/rpc/works-from.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { credentialOf } from '../callers/credential.js';
import { type Context, type Middleware, routeOf } from '../context.js';
import type { Rates } from '../rates/rate-windows.js';

export interface AuthenticateParts {
  authenticate: Authenticate;
  /** Returns whether the caller of a credential is known without a look-up. */
  knowsCaller: (authorization: string) => boolean;
  publicUrl: URL | undefined;
  rates: Rates;
}

/**
 * Finds the caller by API key, by the token of a share, or by the panel's session cookie, and puts it into the Call. Public routes have
 * no caller.
 */
export function authenticateCaller(parts: AuthenticateParts): Middleware {
  return async (ctx, next) => {
    if (routeOf(ctx).scope !== Scope.PUBLIC) {
      await identify(ctx, credentialOf(ctx, parts.publicUrl), routeOf(ctx).traits.shares, parts);
    }
    await next();
  };
}

/**
 * Puts the caller of a credential into the Call. Throws unauthorized for a credential that is absent or not valid, and for a share where
 * `shares` is false. Throws forbidden for a key that does not work from the client's address.
 */
export async function identify(
  ctx: Context,
  authorization: string | undefined,
  shares: boolean,
  { authenticate, knowsCaller, rates }: Omit<AuthenticateParts, 'publicUrl'>,
): Promise<void> {
  const { call } = ctx.state;
  const { limit, windows } = rates.anonymous;
  if (authorization === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  // An unknown key costs a look-up. limitAnonymousClients counts this refusal, and adds the headers of the address's window.
  if (windows.peek(ctx.ip) >= limit && !knowsCaller(authorization)) {
    throw new ApiError(
      'rate_limited',
      'Too many requests with unknown keys came from this address. Try again in a minute.',
    );
  }
  const caller = await call.unlessEnded(authenticate(authorization, call.clientAddress));
  assertShares(caller, { shares });
  assertWorksFrom(caller, call.clientAddress);
  call.caller = caller;
  call.authorization = authorization;
}
