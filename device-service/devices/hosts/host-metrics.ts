import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import { Measurement } from '../../../kit/ops/measurement.js';
import { DATA_DISK } from '../../../phone/files/measure-capacity.js';
import type { HostDriver } from '../../store/hosts.js';
import type { DataFolder } from './data-room.js';

const MIB = 1024 * 1024;

/** Room that counts as unbounded, MiB: a driver of existing phones takes none of the host's. */
const UNBOUNDED_MB = 2 ** 31 - 1;

/** Most models of a driver that are reported, and most characters of a reason: both come from files and programs of others. */
const MAX_MODELS = 100;
const MAX_REASON_CHARACTERS = 200;

/**
 * Creates the metrics of this host: its room, its engines, and the models that it does not offer. `drivers` returns what the host measured
 * of its drivers when it renewed its lease.
 */
export function hostMetrics(
  metrics: Registry,
  host: string,
  folders: readonly DataFolder[],
  drivers: () => readonly HostDriver[],
  { clock, log }: { clock: Clock; log: Log },
): void {
  new Gauge({
    name: 'host_info',
    help: 'Always 1; its label is the id of this host',
    labelNames: ['host'],
    registers: [metrics],
  }).set({ host }, 1);
  new Measurement({
    ...{ metrics, clock, log },
    name: 'filesystems',
    measure: () => Promise.all(folders.map(async ({ name, measure }) => ({ name, ...(await measure()) }))),
  }).gauge({
    name: 'host_filesystem_free_bytes',
    help: 'Bytes that are free on a file system of this host, as the user of the service may use them',
    labelNames: ['host', 'filesystem'],
    samples: (measured) => [
      ...measured.map(({ name, freeBytes }) => ({ labels: { host, filesystem: name }, value: freeBytes })),
      ...engineDisks(drivers()).map(([filesystem, freeMb]) => ({ labels: { host, filesystem }, value: freeMb * MIB })),
    ],
  });
  driverGauges(metrics, host, drivers);
}

/** Returns the disks of engines by their names. Two drivers may share an engine. */
function engineDisks(drivers: readonly HostDriver[]): [name: string, freeMb: number][] {
  const disks = drivers.flatMap(({ disks: found = [] }) => found).filter(({ name }) => name !== DATA_DISK);
  return [...new Map(disks.map(({ name, freeDiskMb }) => [name, freeDiskMb]))];
}

/** Adds the gauges of the drivers. */
function driverGauges(metrics: Registry, host: string, drivers: () => readonly HostDriver[]): void {
  const add = <L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    samples: () => readonly { labels: Record<L, string>; value: number }[],
  ): void => {
    const collect = (): void => {
      gauge.reset();
      for (const { labels, value } of samples()) gauge.set(labels, value);
    };
    const gauge: Gauge<L> = new Gauge({ name, help, labelNames, registers: [metrics], collect });
  };
  const ofDriver = ['host', 'driver'] as const;
  add('host_free_memory_bytes', 'Memory of this host that phones of a driver may still use', ofDriver, () =>
    bounded(drivers(), host, ({ freeMemoryMb }) => freeMemoryMb),
  );
  add('host_free_disk_bytes', 'Disk of this host that phones of a driver may still use', ofDriver, () =>
    bounded(drivers(), host, ({ freeDiskMb }) => freeDiskMb),
  );
  add('engine_reachable', 'Whether the engine of a driver responds: 1 or 0', ofDriver, () =>
    drivers().map(({ kind, engineAway }) => ({ labels: { host, driver: kind }, value: engineAway === true ? 0 : 1 })),
  );
  add('models_offered', 'Models of a driver from which devices can be created on this host now', ofDriver, () =>
    drivers().map(({ kind, models }) => ({ labels: { host, driver: kind }, value: models.length })),
  );
  add(
    'model_not_offered',
    'Always 1; its labels are a model of this host that is not offered, and the reason',
    ['host', 'driver', 'model', 'reason'],
    () =>
      drivers().flatMap((driver) =>
        [...new Set(driver.withheld)].slice(0, MAX_MODELS).map((model) => ({
          labels: { host, driver: driver.kind, model, reason: reasonOf(driver, model) },
          value: 1,
        })),
      ),
  );
}

function bounded(drivers: readonly HostDriver[], host: string, roomMb: (driver: HostDriver) => number) {
  return drivers
    .filter((driver) => roomMb(driver) < UNBOUNDED_MB)
    .map((driver) => ({ labels: { host, driver: driver.kind }, value: roomMb(driver) * MIB }));
}

/** Returns the problem that names the model, else the first problem of its driver. */
function reasonOf({ problems = [] }: HostDriver, model: string): string {
  const reason = problems.find((problem) => problem.includes(`"${model}"`)) ?? problems[0] ?? '';
  return reason.replace(/\s+/g, ' ').slice(0, MAX_REASON_CHARACTERS);
}
