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

/**
 * Begins the request's Call. Its deadline starts here, right after the headers were received, and covers everything that is done for the
 * request. The call is aborted when the client hangs up.
 */
export function beginCall(parts: BeginCallParts): Middleware {
  const { clock, limits, isDraining, open } = parts;
  return async (ctx, next) => {
    ctx.request.ip = clientAddress(ctx);
    const call = new OpenCall({ clock, timeoutMs: limits.callTimeoutMs, clientAddress: ctx.ip, ...originOf(ctx.req) });
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

function originOf(request: IncomingMessage): Pick<OpenCallOptions, 'requestId' | 'trace' | 'signals'> {
  if (request instanceof InnerRequest) {
    const { requestId, trace, signal } = request.outer.call;
    return { requestId, trace, signals: [signal] };
  }
  const { headers } = request;
  return {
    requestId: requestIdOf(headers['x-request-id']?.toString()),
    trace: traceOf(headers['traceparent']?.toString(), headers['tracestate']?.toString()),
  };
}
