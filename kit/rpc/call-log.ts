import { ConnectError, type Interceptor } from '@connectrpc/connect';
import { codeToString } from '@connectrpc/connect/protocol-connect';
import { Histogram, type Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import type { Log } from '../log.js';
import { callKey } from './context.js';
import { sharedMetric } from '../ops/shared-metric.js';

/** A method's name begins with its package, which distinguishes the services of one process. */
const NAME = 'rpc_duration_seconds';

/** Server side, outermost: one debug line and one measurement for every rpc, with the code as the caller sees it. */
export function logCalls(options: { log: Log; clock: Clock; metrics: Registry }): Interceptor {
  const durations = sharedMetric(
    options.metrics,
    NAME,
    () =>
      new Histogram({
        name: NAME,
        help: 'Time to respond to an rpc (for streams: to the first message)',
        labelNames: ['method', 'code'],
        buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
        registers: [options.metrics],
      }),
  );
  return (next) => async (request) => {
    const startedMs = options.clock.monotonicMs();
    const method = `${request.service.typeName}/${request.method.name}`;
    const done = (code: string): void => {
      const durationMs = options.clock.monotonicMs() - startedMs;
      durations.observe({ method, code }, durationMs / 1000);
      options.log.debug(
        {
          request_id: request.contextValues.get(callKey)?.requestId,
          rpc: method,
          status: code,
          duration_ms: durationMs,
        },
        'rpc',
      );
    };
    try {
      const response = await next(request);
      done('ok');
      return response;
    } catch (error) {
      done(error instanceof ConnectError ? codeToString(error.code) : 'unknown');
      throw error;
    }
  };
}
