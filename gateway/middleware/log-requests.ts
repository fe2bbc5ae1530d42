import { Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { STATUS_CHECK_KEY } from '../../kit/call/status-check-key.js';
import type { Middleware } from '../context.js';
import { RequestLines } from './request-lines.js';

/** The Authorization header of the status page's checks. Its key does not exist, so a healthy service refuses each check with 401. */
const STATUS_CHECK = `Bearer ${STATUS_CHECK_KEY}`;

/**
 * Logs one line and records one duration for each request. Requests that cost their client nothing have lines up to a bound. The line has
 * the route's template, but never the path, the query, a body or a key. Only this line has the cause of an internal error.
 */
export function logRequests({ log, clock, metrics }: { log: Log; clock: Clock; metrics: Registry }): Middleware {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of a request to its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [metrics],
  });
  // Each field of the line is named below and holds no object. So nothing needs redaction, which would cost five times as much as the
  // line.
  const lines = log.child({}, { redact: [] });
  const free = new RequestLines({ clock, log: lines });
  return async (ctx, next) => {
    const startedMs = clock.monotonicMs();
    await next();
    const durationMs = clock.monotonicMs() - startedMs;
    const { call, route, endpoint, error } = ctx.state;
    const { method } = ctx;
    const { statusCode: status } = ctx.res;
    const template = route?.template ?? endpoint ?? 'none';
    // Without a route, the method can be any text of the client, but labels must be few.
    const methodLabel = template === 'none' ? 'other' : method;
    durations.observe({ method: methodLabel, route: template, status: String(status) }, durationMs / 1000);
    const isStatusCheck = status === 401 && ctx.headers.authorization === STATUS_CHECK;
    const isFree = call.caller === undefined || status === 429;
    if (isFree && !isStatusCheck && !free.admits(ctx.ip, status)) return;
    const line = {
      request_id: call.requestId,
      method,
      route: template,
      status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      key_id: call.caller?.keyId,
      error: error?.kind,
    };
    if (status >= 500) log.error({ ...line, err: error?.cause ?? error }, 'request');
    else if (isStatusCheck) lines.debug(line, 'request');
    else lines.info(line, 'request');
  };
}
