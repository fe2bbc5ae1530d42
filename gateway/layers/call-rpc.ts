import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { REPLAYED_HEADER } from '../../kit/rpc/context.js';
import { sessionCookieHeaders } from '../callers/session-cookie.js';
import type { Context, HeaderList, Layer } from '../exchange.js';
import { matchOf } from '../exchange.js';
import { BodyRoom } from '../http/body-room.js';
import { readBody } from '../http/read-body.js';
import { ClientGone } from '../http/read-bytes.js';
import type { EdgeLimits } from '../limits.js';
import { sendAnswer } from '../send-answer.js';
import { traceparentOf } from '../trace.js';

export interface CallRpcParts {
  clock: Clock;
  limits: EdgeLimits;
  forgetCallers: () => void;
  publicUrl: URL | undefined;
  /** The client's address. */
  addressOf: (request: IncomingMessage) => string;
}

/** The heart: reads the request, makes the rpc, writes its answer. A client that hangs up takes the rpc with it. */
export function callRpc({ clock, limits, forgetCallers, publicUrl, addressOf }: CallRpcParts): Layer {
  const room = new BodyRoom({ eachMaxBytes: limits.bodiesOfCallerMaxBytes, allMaxBytes: limits.bodiesMaxBytes });
  const reading = { clock, room, maxBytes: limits.bodyMaxBytes, timeoutMs: limits.bodyTimeoutMs };
  return async (context) => {
    const { req } = context;
    const { query } = context.state;
    const { route, pathValues } = matchOf(context);
    const who = context.state.caller?.keyId ?? addressOf(req);
    const body = await readBody(route.bodyForm, req, { ...reading, who });
    const request = route.readRequest({ pathValues, query, headers: req.headers, body });
    const call = startCall(context, clock, limits.rpcTimeoutMs);
    try {
      // No deadline for Connect: its own costs an eighth of a call in memory, and an abort reaches the service all the same.
      const answer = await route.transport.unary(
        route.rpc,
        call.signal,
        undefined,
        forwarded(context, addressOf),
        request,
      );
      if (route.changesAccess) forgetCallers();
      const headers: HeaderList = [];
      if (answer.header.has(REPLAYED_HEADER)) headers.push('Idempotency-Replayed', 'true');
      const cookie = route.cookieOf(answer.message);
      if (cookie !== undefined) headers.push(...sessionCookieHeaders(cookie, publicUrl?.protocol === 'https:'));
      sendAnswer(context, route, answer.message, headers);
    } catch (error) {
      throw call.signal.aborted ? call.signal.reason : error;
    } finally {
      call.end();
    }
  };
}

/** A signal that aborts when the client hangs up or the time is up, with what to say then as its reason. */
function startCall({ res }: Context, clock: Clock, timeoutMs: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const timer = clock.after(timeoutMs, () =>
    controller.abort(new ApiError('timeout', `There was no answer within ${timeoutMs / 1000} s. Try again.`)),
  );
  const onClose = (): void => {
    if (!res.writableFinished) controller.abort(new ClientGone('the client hung up before the answer'));
  };
  if (res.destroyed) onClose();
  else res.once('close', onClose);
  return { signal: controller.signal, end: () => timer.cancel() };
}

/** Headers that go along: who calls, which request, which trace. */
function forwarded(context: Context, addressOf: CallRpcParts['addressOf']): Headers {
  const { tracestate } = context.req.headers;
  const { authorization, caller } = context.state;
  const headers = new Headers();
  headers.set('x-request-id', context.state.requestId);
  // Signing in and up are throttled by it; for known callers nobody asks.
  if (caller === undefined) headers.set('x-client-address', addressOf(context.req));
  headers.set('traceparent', traceparentOf(context.req.headers));
  if (authorization !== undefined) headers.set('authorization', authorization);
  if (typeof tracestate === 'string') headers.set('tracestate', tracestate);
  return headers;
}
