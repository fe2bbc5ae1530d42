import type { Registry } from 'prom-client';
import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import { Measurement } from '../../../kit/ops/measurement.js';
import type { SnapshotCopies } from './snapshot-copies.js';

/** Creates the metric of the snapshots that would be lost with this host. It has no value where there is no object store. */
export function copyMetrics(copies: SnapshotCopies, parts: { metrics: Registry; clock: Clock; log: Log }): void {
  new Measurement({ ...parts, name: 'snapshot copies', measure: async () => ({ due: await copies.countDue() }) }).gauge(
    {
      name: 'snapshots_without_copy',
      help: 'Ready snapshots of this host that are not in SNAPSHOT_STORE yet; no value where that is not set',
      labelNames: ['store'],
      samples: ({ due }) => (due === undefined ? [] : [{ labels: { store: 's3' }, value: due }]),
    },
  );
}
