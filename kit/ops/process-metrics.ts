import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Readiness } from './readiness.js';

/** The metrics of this process, for all services in it to add theirs to. To be called once: it begins to watch the event loop. */
export function processMetrics(readiness: Readiness): Registry {
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
  return metrics;
}
