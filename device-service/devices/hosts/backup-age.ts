import type { Registry } from 'prom-client';
import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import { Measurement } from '../../../kit/ops/measurement.js';

/**
 * Creates the metric of the newest verified backup's age, s. It is +Inf where none was ever verified, so that one comparison finds both a
 * backup that is too old and none. It has no value while the note of it cannot be read.
 */
export function backupAgeMetric({
  metrics,
  hostId: host,
  verifiedBackup,
  clock,
  log,
}: {
  metrics: Registry;
  hostId: string;
  /** Returns when the newest verified backup of the data folder was made, ms since 1970; undefined: none was ever verified. */
  verifiedBackup: () => Promise<number | undefined>;
  clock: Clock;
  log: Log;
}): void {
  const measure = async (): Promise<{ madeAtMs: number | undefined }> => ({ madeAtMs: await verifiedBackup() });
  new Measurement({ name: 'verified backup', measure, metrics, clock, log }).gauge({
    name: 'verified_backup_age_seconds',
    help: 'Age of the newest backup of this data folder that was verified; +Inf when none was ever verified',
    labelNames: ['host'],
    samples: ({ madeAtMs }) => [{ labels: { host }, value: ageS(madeAtMs, clock.now()) }],
  });
}

function ageS(madeAtMs: number | undefined, nowMs: number): number {
  return madeAtMs === undefined ? Infinity : Math.max(0, nowMs - madeAtMs) / 1_000;
}
