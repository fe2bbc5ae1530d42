import { Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { Layer } from '../exchange.js';

/**
 * One line and one measurement for every request. The line holds the route's template, never the path, the query, a body or a
 * key; what a caller must not see of a failure (its cause) stands here.
 */
export function logRequests({ log, clock, metrics }: { log: Log; clock: Clock; metrics: Registry }): Layer {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the headers of a request to its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [metrics],
  });
  // Each field of the line is named below and holds no object, so there is nothing to hide in it; to look costs five times the line.
  const lines = log.child({}, { redact: [] });
  return async (context, next) => {
    const startedMs = clock.monotonicMs();
    await next();
    const durationMs = clock.monotonicMs() - startedMs;
    const { requestId, match, caller, refusal } = context.state;
    const { method = '' } = context.req;
    const status = context.res.statusCode;
    const route = match?.route.template ?? 'none';
    // Methods are the client's own words; only those of our routes may make a label.
    const methodLabel = match === undefined ? 'other' : method;
    durations.observe({ method: methodLabel, route, status: String(status) }, durationMs / 1000);
    const line = {
      request_id: requestId,
      method,
      route,
      status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      key_id: caller?.keyId,
      error: refusal?.kind,
    };
    if (status >= 500) log.error({ ...line, err: refusal?.cause ?? refusal }, 'request');
    else lines.info(line, 'request');
  };
}
