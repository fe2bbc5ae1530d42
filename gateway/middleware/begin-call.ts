import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../kit/async/clock.js';
import { OpenCall, type OpenCallOptions } from '../../kit/call/call.js';
import { requestIdOf, traceOf } from '../../kit/log/trace.js';
import { clientAddress as plainAddress } from '../../kit/net/client-address.js';
import type { Context, Middleware, State } from '../context.js';
import { InnerRequest } from '../http/inner-request.js';
import { wasSent } from '../http/was-sent.js';
import type { EdgeLimits } from '../limits.js';

export interface BeginCallParts {
  clock: Clock;
  limits: EdgeLimits;
  isDraining: () => boolean;
  /** The requests under way, which the listener may end. */
  open: Set<State>;
}

/** Longest time of a request that a tool sends after its client has gone, ms. It gives back what the client does not get. */
const MAX_TIDY_MS = 5_000;

/**
 * Begins the request's Call. Its deadline starts here, right after the headers were received, and covers everything that is done for the
 * request. The call is aborted when the client hangs up.
 */
export function beginCall(parts: BeginCallParts): Middleware {
  const { clock, limits, isDraining, open } = parts;
  return async (ctx, next) => {
    ctx.request.ip = clientAddress(ctx);
    const timeoutMs = isAfterEnd(ctx.req) ? Math.min(MAX_TIDY_MS, limits.callTimeoutMs) : limits.callTimeoutMs;
    const call = new OpenCall({ clock, timeoutMs, clientAddress: ctx.ip, ...originOf(ctx.req) });
    const { state } = ctx;
    state.call = call;
    open.add(state);
    ctx.res.once('close', () => {
      open.delete(state);
      if (!wasSent(ctx.res)) call.hangUp();
      call.end();
    });
    ctx.set('X-Request-Id', call.requestId);
    await next();
    // A client that keeps its connection open must use another one for its next request. HTTP/2 has a frame for that in place of a
    // header.
    if (isDraining() && ctx.req.httpVersionMajor < 2) {
      ctx.set('Connection', 'close');
      ctx.remove('Keep-Alive');
    }
  };
}

/** Returns the address of the client, also for a request that the edge sends to itself. */
function clientAddress({ req, ip }: Context): string {
  return req instanceof InnerRequest ? (req.outer.call.clientAddress ?? plainAddress(ip)) : plainAddress(ip);
}

/** Whether an outer request has ended before this inner one. */
function isAfterEnd(request: IncomingMessage): boolean {
  return request instanceof InnerRequest && request.outer.call.signal.aborted;
}

/**
 * Returns the id and the trace, which an inner request has of its outer one. The end of the outer call is no end of the inner one: it ends
 * the tool, whose signal ends the tool's requests, except those that tidy up.
 */
function originOf(request: IncomingMessage): Pick<OpenCallOptions, 'requestId' | 'trace'> {
  if (request instanceof InnerRequest) {
    const { requestId, trace } = request.outer.call;
    return { requestId, trace };
  }
  const { headers } = request;
  return {
    requestId: requestIdOf(headers['x-request-id']?.toString()),
    trace: traceOf(headers['traceparent']?.toString(), headers['tracestate']?.toString()),
  };
}
