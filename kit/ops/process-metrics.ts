import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { LineBuffer } from '../log/line-buffer.js';
import type { Readiness } from './readiness.js';
import type { UnhandledRejections } from './unhandled-rejections.js';

export interface ProcessMetricsParts {
  readiness: Readiness;
  rejections: Pick<UnhandledRejections, 'total'>;
  /** The lines of the log. */
  lines: Pick<LineBuffer, 'dropped'>;
}

/**
 * Returns the registry of this process's metrics, to which each service in it adds its own. Call it once: it begins to watch the event loop.
 */
export function processMetrics({ readiness, rejections, lines }: ProcessMetricsParts): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  new Gauge({
    name: 'service_ready',
    help: 'Whether /readyz reports that the service is ready: 1 or 0',
    registers: [metrics],
    async collect() {
      this.set((await readiness.report()).ready ? 1 : 0);
    },
  });
  new Counter({
    name: 'unhandled_rejections_total',
    help: 'Failures that no code of the service handled; each has a line in the log, at error',
    registers: [metrics],
    collect() {
      this.reset();
      this.inc(rejections.total);
    },
  });
  new Counter({
    name: 'log_lines_dropped_total',
    help: 'Lines of the log that were dropped, as its reader stood still',
    registers: [metrics],
    collect() {
      this.reset();
      this.inc(lines.dropped);
    },
  });
  return metrics;
}
