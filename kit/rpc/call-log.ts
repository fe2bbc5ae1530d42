import type { DescMethod } from '@bufbuild/protobuf';
import { ConnectError, type Interceptor } from '@connectrpc/connect';
import { codeToString } from '@connectrpc/connect/protocol-connect';
import { Histogram, type Registry } from 'prom-client';
import type { Clock } from '../async/clock.js';
import type { Log } from '../log/log.js';
import { callKey } from './context.js';
import { sharedMetric } from '../ops/shared-metric.js';

/** All services of a process share this metric. The package at the beginning of a method's name distinguishes them. */
const NAME = 'rpc_duration_seconds';

export interface CallLogOptions {
  log: Log;
  clock: Clock;
  metrics: Registry;
}

/** Writes one debug line and one measurement for an rpc, with the code as the caller sees it. */
export type RecordCall = (
  method: DescMethod,
  outcome: { code: string; durationMs: number; requestId?: string | undefined },
) => void;

export function recordCalls({ log, metrics }: Pick<CallLogOptions, 'log' | 'metrics'>): RecordCall {
  const durations = sharedMetric(
    metrics,
    NAME,
    () =>
      new Histogram({
        name: NAME,
        help: 'Time to respond to an rpc (for streams: to the first message)',
        labelNames: ['method', 'code'],
        buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
        registers: [metrics],
      }),
  );
  return ({ parent, name }, { code, durationMs, requestId }) => {
    const method = `${parent.typeName}/${name}`;
    durations.observe({ method, code }, durationMs / 1000);
    log.debug({ request_id: requestId, rpc: method, status: code, duration_ms: durationMs }, 'rpc');
  };
}

/** Server side, outermost: records every rpc whose message was read. */
export function logCalls(options: CallLogOptions): Interceptor {
  const record = recordCalls(options);
  return (next) => async (request) => {
    const startedMs = options.clock.monotonicMs();
    const done = (code: string): void =>
      record(request.method, {
        code,
        durationMs: options.clock.monotonicMs() - startedMs,
        requestId: request.contextValues.get(callKey)?.requestId,
      });
    try {
      const response = await next(request);
      done('ok');
      return response;
    } catch (error) {
      done(codeOf(error));
      throw error;
    }
  };
}

/** Returns the name of the code that a caller gets with an error. */
export function codeOf(error: unknown): string {
  return error instanceof ConnectError ? codeToString(error.code) : 'unknown';
}
