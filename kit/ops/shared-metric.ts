import type { Metric, Registry } from 'prom-client';

/** The metric of this name: of several services in one process the first makes it, and all count in it. */
export function sharedMetric<M extends Metric>(metrics: Registry, name: string, make: () => M): M {
  return (metrics.getSingleMetric(name) as M | undefined) ?? make();
}
