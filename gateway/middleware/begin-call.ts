import type { Clock } from '../../kit/clock.js';
import { OpenCall } from '../../kit/call.js';
import { requestIdOf, traceOf } from '../../kit/trace.js';
import { clientAddress } from '../callers/client-address.js';
import type { Middleware } from '../context.js';
import type { EdgeLimits } from '../limits.js';

/**
 * Begins the request's Call. Its deadline starts here, right after the headers were received, and covers everything that is done for
 * the request; it is aborted when the client hangs up.
 */
export function beginCall(parts: { clock: Clock; limits: EdgeLimits; isDraining: () => boolean }): Middleware {
  const { clock, limits, isDraining } = parts;
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
    ctx.state.call = call;
    ctx.res.once('close', () => {
      if (!ctx.res.writableFinished) call.hangUp();
      call.end();
    });
    ctx.set('X-Request-Id', call.requestId);
    await next();
    // A client that keeps its connection open is to use another one for its next request.
    if (isDraining()) ctx.set('Connection', 'close');
  };
}
