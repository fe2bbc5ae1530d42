import { type OpenCall, detachedCall } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { rpcOptions } from '../../kit/rpc/call-crossing.js';
import { REPLAYED_HEADER } from '../../kit/rpc/context.js';
import { loginTokenIn, setLoginCookie } from '../callers/login-cookie.js';
import { isOverHttps, setSessionCookie } from '../callers/session-cookie.js';
import { type Context, type Middleware, routeOf } from '../context.js';
import { bodyChunks } from '../http/body-chunks.js';
import type { BodyRoom } from '../http/body-room.js';
import { readBody } from '../http/read-body.js';
import { sendRedirect } from '../http/send-redirect.js';
import { wasSent } from '../http/was-sent.js';
import type { EdgeLimits } from '../limits.js';
import { sendDownload } from '../send-download.js';
import { streamRequest } from '../stream-request.js';
import { respond } from './respond.js';

export interface CallRpcParts {
  clock: Clock;
  limits: EdgeLimits;
  /** Counts the bytes of bodies that are coming in. */
  room: BodyRoom;
  forgetCallers: () => void;
  publicUrl: URL | undefined;
}

/** Reads the request, makes the rpc, and responds with its response. */
export function callRpc({ clock, limits, room, forgetCallers, publicUrl }: CallRpcParts): Middleware {
  const bounds = { clock, room, maxBytes: limits.maxBodyBytes, timeoutMs: limits.bodyTimeoutMs };
  const streaming = { clock, maxBytes: limits.maxUploadBytes, idleMs: limits.uploadIdleMs };
  return async (ctx) => {
    const route = routeOf(ctx);
    const { rpc, bodyForm } = route;
    if (route.downloadOf !== undefined) {
      const { params, querystring: query, headers } = ctx;
      const request = route.readRequest({ params, query, headers, body: undefined });
      const longer = giveTime(ctx, clock, limits.downloadTimeoutMs);
      await sendDownload(ctx, route, longer, request, { clock, slowMs: limits.slowDownloadMs });
      return;
    }
    if (bodyForm === 'stream' || rpc.methodKind !== 'unary') {
      const first = route.readRequest({
        params: ctx.params,
        query: ctx.querystring,
        headers: ctx.headers,
        body: undefined,
      });
      const longer = giveTime(ctx, clock, limits.uploadTimeoutMs);
      respond(ctx, route, await streamRequest(route, longer, first, bodyChunks(ctx.req, streaming)));
      return;
    }
    const { call } = ctx.state;
    const who = call.caller?.accountId ?? ctx.ip;
    const body = await readBody(bodyForm, ctx.req, { ...bounds, who, signal: call.signal });
    const secure = isOverHttps(ctx, publicUrl);
    const loginToken = route.traits.loginCookieField === '' ? undefined : loginTokenIn(ctx, secure);
    const { params, querystring: query, headers } = ctx;
    const request = route.readRequest({ params, query, headers, loginToken, body });
    const { signal, timeoutMs, contextValues } = rpcOptions(call);
    const { header, message } = await route.transport.unary(rpc, signal, timeoutMs, undefined, request, contextValues);
    if (route.changesAccess) forgetCallers();
    route.completeUrl(message, originOf(ctx, publicUrl));
    if (header.has(REPLAYED_HEADER)) ctx.set('Idempotency-Replayed', 'true');
    const cookie = route.cookieOf(message);
    if (cookie !== undefined) setSessionCookie(ctx, cookie, secure);
    const login = route.loginOf(message);
    if (login !== undefined) setLoginCookie(ctx, login.token, secure);
    const redirect = route.redirectOf(message);
    if (redirect !== undefined) {
      sendRedirect(ctx, redirect.location);
      return;
    }
    respond(ctx, route, message);
  };
}

/** Replaces the request's call by one with more time. A large body or file that is passed on as it comes may take an hour. */
function giveTime(ctx: Context, clock: Clock, timeoutMs: number): OpenCall {
  ctx.state.call.end();
  const call = detachedCall(ctx.state.call, { clock, timeoutMs });
  ctx.state.call = call;
  const onClose = (): void => {
    if (!wasSent(ctx.res)) call.hangUp();
    call.end();
  };
  if (ctx.res.destroyed) onClose();
  else ctx.res.once('close', onClose);
  return call;
}

/** Returns the origin for links to this service: of `publicUrl`, else of the request, whose Host header was checked (check-host.ts). */
function originOf(ctx: Context, publicUrl: URL | undefined): string {
  return publicUrl?.origin ?? `${isOverHttps(ctx, publicUrl) ? 'https' : 'http'}://${ctx.req.headers.host ?? ''}`;
}
