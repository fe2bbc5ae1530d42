import type { Metric, Registry } from 'prom-client';

/** Returns the metric of this name. The first of several services in one process makes it, and all of them count in it. */
export function sharedMetric<M extends Metric>(metrics: Registry, name: string, make: () => M): M {
  return (metrics.getSingleMetric(name) as M | undefined) ?? make();
}
