import type { Clock } from '../../kit/clock.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import { REPLAYED_HEADER } from '../../kit/rpc/context.js';
import { setSessionCookie } from '../callers/session-cookie.js';
import { type Middleware, routeOf } from '../context.js';
import { BodyRoom } from '../http/body-room.js';
import { readBody } from '../http/read-body.js';
import type { EdgeLimits } from '../limits.js';
import { respond } from './respond.js';

export interface CallRpcParts {
  clock: Clock;
  limits: EdgeLimits;
  forgetCallers: () => void;
  publicUrl: URL | undefined;
}

/** Reads the request, makes the rpc, and responds with its response. */
export function callRpc({ clock, limits, forgetCallers, publicUrl }: CallRpcParts): Middleware {
  const room = new BodyRoom({ eachMaxBytes: limits.bodiesOfCallerMaxBytes, allMaxBytes: limits.bodiesMaxBytes });
  const bounds = { clock, room, maxBytes: limits.bodyMaxBytes, timeoutMs: limits.bodyTimeoutMs };
  const isSecure = publicUrl?.protocol === 'https:';
  return async (ctx) => {
    const { call } = ctx.state;
    const route = routeOf(ctx);
    const who = call.caller?.keyId ?? ctx.ip;
    const body = await readBody(route.bodyForm, ctx.req, { ...bounds, who, signal: call.signal });
    const request = route.readRequest({ params: ctx.params, query: ctx.querystring, headers: ctx.headers, body });
    const { signal, timeoutMs, contextValues } = rpcOptions(call);
    const { header, message } = await route.transport.unary(
      route.rpc,
      signal,
      timeoutMs,
      undefined,
      request,
      contextValues,
    );
    if (route.changesAccess) forgetCallers();
    if (header.has(REPLAYED_HEADER)) ctx.set('Idempotency-Replayed', 'true');
    const cookie = route.cookieOf(message);
    if (cookie !== undefined) setSessionCookie(ctx, cookie, isSecure);
    respond(ctx, route, message);
  };
}
