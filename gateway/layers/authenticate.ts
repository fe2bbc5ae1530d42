import { UNAUTHORIZED_MESSAGE } from '../../kit/errors.js';
import type { Authenticate } from '../../kit/rpc/caller.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { credentialOf } from '../callers/credential.js';
import { type Layer, matchOf, type Refusal } from '../exchange.js';

const NO_KEY: Refusal = { kind: 'unauthorized', message: UNAUTHORIZED_MESSAGE };

/** Finds out who calls, by API key or by the panel's session cookie. Public routes ask nobody. */
export function authenticateCaller(authenticate: Authenticate, publicUrl: URL | undefined): Layer {
  return async (context, next) => {
    if (matchOf(context).route.scope !== Scope.PUBLIC) {
      const { req } = context;
      const changes = req.method !== 'GET' && req.method !== 'HEAD';
      const authorization = credentialOf(req, { changes, publicUrl });
      if (authorization === undefined) {
        context.state.refusal = NO_KEY;
        return;
      }
      context.state.caller = await authenticate(authorization);
      context.state.authorization = authorization;
    }
    await next();
  };
}
