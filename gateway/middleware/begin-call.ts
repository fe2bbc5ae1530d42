import type { Clock } from '../../kit/clock.js';
import { OpenCall } from '../../kit/call.js';
import { requestIdOf, traceOf } from '../../kit/trace.js';
import { clientAddress } from '../../kit/client-address.js';
import type { Middleware, State } from '../context.js';
import type { EdgeLimits } from '../limits.js';

export interface BeginCallParts {
  clock: Clock;
  limits: EdgeLimits;
  isDraining: () => boolean;
  /** The requests under way, which the listener may end. */
  open: Set<State>;
}

/**
 * Begins the request's Call. Its deadline starts here, right after the headers were received, and covers everything that is done for
 * the request; it is aborted when the client hangs up.
 */
export function beginCall(parts: BeginCallParts): Middleware {
  const { clock, limits, isDraining, open } = parts;
  return async (ctx, next) => {
    const { headers } = ctx.req;
    ctx.request.ip = clientAddress(ctx.ip);
    const call = new OpenCall({
      clock,
      timeoutMs: limits.callTimeoutMs,
      requestId: requestIdOf(headers['x-request-id']?.toString()),
      trace: traceOf(headers['traceparent']?.toString(), headers['tracestate']?.toString()),
      clientAddress: ctx.ip,
    });
    const { state } = ctx;
    state.call = call;
    open.add(state);
    ctx.res.once('close', () => {
      open.delete(state);
      if (!ctx.res.writableFinished) call.hangUp();
      call.end();
    });
    ctx.set('X-Request-Id', call.requestId);
    await next();
    // A client that keeps its connection open is to use another one for its next request. HTTP/2 has a frame for it, and no header.
    if (isDraining() && ctx.req.httpVersionMajor < 2) ctx.set('Connection', 'close');
  };
}
