import { collectDefaultMetrics, Registry } from 'prom-client';

/** The metrics of this process, for all services in it to add theirs to. To be called once: it begins to watch the event loop. */
export function processMetrics(): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return metrics;
}
