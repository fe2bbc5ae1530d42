import { ClientGone, detachedCall } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Log } from '../../kit/log/log.js';
import { unlessAborted } from '../../kit/async/within.js';
import { type Middleware, routeOf } from '../context.js';
import { stopping } from '../stopping.js';
import type { EdgeLimits } from '../limits.js';
import type { OpenSockets } from '../socket/open-sockets.js';
import { EventStream } from './event-stream.js';

export interface EventStreamParts {
  clock: Clock;
  log: Log;
  limits: Pick<EdgeLimits, 'slowReaderMs'>;
  sockets: OpenSockets;
  isDraining: () => boolean;
}

/**
 * Responds with server-sent events on a route whose rpc streams events. The response begins after the first message of the rpc, so that a
 * refusal is an ordinary response. Open streams count as sockets.
 */
export function openEventStream({ clock, log, limits, sockets, isDraining }: EventStreamParts): Middleware {
  return async (ctx, next) => {
    const route = routeOf(ctx);
    if (route.eventOf === undefined) {
      await next();
      return;
    }
    const { params, querystring: query, headers } = ctx;
    const request = route.readRequest({ params, query, headers, body: undefined });
    if (isDraining()) throw stopping();
    const { call, res } = { call: ctx.state.call, res: ctx.res };
    const lasting = detachedCall(call, { clock, timeoutMs: Infinity });
    const stream = new EventStream({ route, clock, call: lasting, request, slowMs: limits.slowReaderMs });
    sockets.add({ caller: call.caller?.keyId ?? ctx.ip, account: call.caller?.accountId }, stream);
    const onGone = (): void => stream.hangUp();
    res.once('close', onGone);
    let first;
    try {
      first = await unlessAborted(call.signal, stream.open());
      if (res.destroyed) throw new ClientGone();
    } catch (error) {
      stream.hangUp();
      sockets.remove(stream);
      throw error;
    }
    ctx.status = 200;
    ctx.set('Content-Type', 'text/event-stream');
    // No proxy or cache on the way may store, change or hold back a part of the stream.
    ctx.set('Cache-Control', 'no-store, no-transform');
    ctx.set('X-Accel-Buffering', 'no');
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.respond = false;
    res.flushHeaders();
    const startedMs = clock.monotonicMs();
    void stream.run(res, first).then(({ events, error }) => {
      sockets.remove(stream);
      const line = { request_id: call.requestId, route: route.template, key_id: call.caller?.keyId, events };
      const durationMs = Math.round(clock.monotonicMs() - startedMs);
      const isFault = error !== undefined && (!(error instanceof ApiError) || error.kind === 'internal');
      if (isFault) log.error({ ...line, duration_ms: durationMs, err: error }, 'event stream');
      else log.info({ ...line, duration_ms: durationMs, end: error?.kind }, 'event stream');
    });
    call.end();
  };
}
