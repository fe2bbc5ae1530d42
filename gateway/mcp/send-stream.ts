import { ClientGone } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError, INTERNAL_MESSAGE } from '../../kit/errors/api-error.js';
import type { Context } from '../context.js';
import { drained } from '../http/drained.js';
import type { EdgeLimits } from '../limits.js';
import { errorBody } from './json-rpc-errors.js';
import type { RequestId } from './message.js';

export interface StreamParts {
  clock: Clock;
  limits: Pick<EdgeLimits, 'slowReaderMs'>;
  /** The request that the stream responds to. */
  id: RequestId | undefined;
}

/**
 * Responds with a stream of server-sent events, which ends with the response to the request. When the call ends early, for another reason
 * than a client that has gone, the last event reports the reason.
 */
export async function sendStream(
  ctx: Context,
  events: ReadableStream<Uint8Array>,
  { clock, limits, id }: StreamParts,
): Promise<void> {
  const { res } = ctx;
  const { call } = ctx.state;
  const slowMs = limits.slowReaderMs;
  ctx.status = 200;
  ctx.set('Content-Type', 'text/event-stream');
  // No proxy or cache on the way may store, change or hold back a part of the stream.
  ctx.set('Cache-Control', 'no-store, no-transform');
  ctx.set('X-Accel-Buffering', 'no');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.respond = false;
  res.flushHeaders();
  const reader = events.getReader();
  try {
    for (;;) {
      const { value, done } = await call.unlessEnded(reader.read());
      if (done) break;
      if (!res.write(value)) await call.unlessEnded(drained(res, { clock, slowMs, onSlow: () => slow(slowMs) }));
    }
  } catch (thrown) {
    const reason = call.endedBy ?? thrown;
    if (reason instanceof ClientGone) throw reason;
    const error = reason instanceof ApiError ? reason : new ApiError('internal', INTERNAL_MESSAGE, { cause: reason });
    ctx.state.error = error;
    res.write(`event: message\ndata: ${JSON.stringify(errorBody(error, id))}\n\n`);
  } finally {
    await reader.cancel();
    res.end();
  }
}

function slow(slowMs: number): ApiError {
  return new ApiError('timeout', `The client took nothing of the response for ${slowMs / 1000} s.`);
}
