import type { IncomingMessage } from 'node:http';
import { UNAUTHORIZED_MESSAGE } from '../../kit/errors.js';
import type { Authenticate } from '../../kit/rpc/caller.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { credentialOf } from '../callers/credential.js';
import { type Layer, matchOf, type Refusal } from '../exchange.js';

const NO_KEY: Refusal = { kind: 'unauthorized', message: UNAUTHORIZED_MESSAGE };

const TOO_MANY: Refusal = {
  kind: 'rate_limited',
  message: 'Too many requests with unknown keys came from this address. Try again in a minute.',
};

/** Whether the key may be asked about for this request: unknown keys cost a look-up each. */
export type MayAsk = (request: IncomingMessage, authorization: string) => boolean;

/** Finds the caller by API key or by the panel's session cookie. Public routes have none. */
export function authenticateCaller(authenticate: Authenticate, publicUrl: URL | undefined, mayAsk: MayAsk): Layer {
  return async (context, next) => {
    if (matchOf(context).route.scope !== Scope.PUBLIC) {
      const { req } = context;
      const changes = req.method !== 'GET' && req.method !== 'HEAD';
      const authorization = credentialOf(req, { changes, publicUrl });
      if (authorization === undefined) {
        context.state.refusal = NO_KEY;
        return;
      }
      if (!mayAsk(req, authorization)) {
        // It is counted for the address, with headers and text of that window, where refusals are written.
        context.state.refusal = TOO_MANY;
        return;
      }
      context.state.caller = await authenticate(authorization);
      context.state.authorization = authorization;
    }
    await next();
  };
}
