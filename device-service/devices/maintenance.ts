import type { PeriodicTask } from '../../kit/ops/periodic-tasks.js';
import type { EndedJob } from '../record/ended-job.js';
import { SWEEP_MS } from '../record/limits.js';
import { failJobsOfSilentHosts } from './converge/silent-hosts.js';
import type { DevicesContext } from './devices-context.js';
import type { HealthWatch } from './health/health-watch.js';
import { finishForgetting, type ForgetHostParts } from './hosts/forget-host.js';
import type { HostLease } from './hosts/host-lease.js';
import { expireApps } from './library/expire-apps.js';
import { LibrarySweep } from './library/sweep-library.js';
import { stopIdle } from './lifecycle/idle-stop.js';
import {
  COPY_CHECK_MS,
  DEFAULT_LIBRARY_KEPT_MS,
  DISK_CHECK_MS,
  HEALTH_CHECK_MS,
  HOST_LEASE_MS,
  IDLE_CHECK_MS,
  LIBRARY_CHECK_MS,
  METER_MS,
  MOVE_CHECK_MS,
  STORAGE_MEASURE_MS,
} from './limits.js';
import { measureStorage } from './metering/measure-storage.js';
import type { Meter } from './metering/meter.js';
import { OverfullPhones } from './metering/overfull-phones.js';
import { chargeAndStop } from './metering/stop-unpaid.js';
import { HostDeparture } from './moves/leave-host.js';
import { removeLeft } from './moves/remove-left.js';
import { sweepArrivals } from './moves/sweep-arrivals.js';
import { SnapshotSweep } from './snapshots/sweep-snapshots.js';
import { TemplateSweep } from './templates/sweep-templates.js';

/**
 * Returns the periodic work for the devices of this host. The last tasks go on with, or complete, work that processes left undone
 * when they ended, on this host or on others.
 */
export function devicesMaintenance({
  context,
  meter,
  health,
  lease,
  forget,
  onEnded,
  atWork,
  libraryKeptMs = DEFAULT_LIBRARY_KEPT_MS,
}: {
  context: DevicesContext;
  meter: Meter;
  health: HealthWatch;
  lease: HostLease;
  forget: ForgetHostParts;
  onEnded: (ended: EndedJob) => void;
  /** Returns the ids of the jobs at work on this host. */
  atWork: () => Promise<Set<string>>;
  /** How long apps of libraries are kept without use, ms; 0: always. */
  libraryKeptMs?: number;
}): PeriodicTask[] {
  const snapshotSweep = new SnapshotSweep(context);
  const templateSweep = new TemplateSweep(context);
  const overfull = new OverfullPhones(context);
  const departure = new HostDeparture(context);
  const librarySweep = new LibrarySweep(context);
  return [
    { name: 'charge running devices', everyMs: METER_MS, run: () => chargeAndStop(context, meter) },
    { name: 'stop devices without use', everyMs: IDLE_CHECK_MS, run: () => stopIdle(context) },
    {
      name: 'check the health of the phones',
      everyMs: HEALTH_CHECK_MS,
      run: (signal) => health.checkPhones(signal),
    },
    {
      name: 'measure the storage of the phones',
      everyMs: STORAGE_MEASURE_MS,
      run: (signal) => measureStorage(context, (device, bytes) => overfull.judge(device, bytes), signal),
    },
    { name: 'relieve full disks of phones', everyMs: DISK_CHECK_MS, run: (signal) => overfull.relieve(signal) },
    { name: 'remove unused files of apps', everyMs: SWEEP_MS, run: () => context.appFolders.sweep(atWork) },
    {
      name: 'remove apps of libraries without use',
      everyMs: LIBRARY_CHECK_MS,
      run: (signal) => expireApps(context, libraryKeptMs, signal),
    },
    { name: 'remove unused files of libraries', everyMs: SWEEP_MS, run: (signal) => librarySweep.run(signal) },
    { name: 'remove left snapshots', everyMs: SWEEP_MS, run: (signal) => snapshotSweep.run(signal) },
    { name: 'remove left templates', everyMs: SWEEP_MS, run: (signal) => templateSweep.run(signal) },
    {
      name: 'copy snapshots',
      everyMs: COPY_CHECK_MS,
      run: (signal) => context.snapshotCopies.run(signal),
      wakeup: context.snapshotCopies.wakeup,
    },
    { name: 'move devices of forgotten hosts', everyMs: SWEEP_MS, run: () => finishForgetting(forget) },
    { name: 'move the devices of a drained host', everyMs: MOVE_CHECK_MS, run: (signal) => departure.run(signal) },
    { name: 'remove phones that moved away', everyMs: MOVE_CHECK_MS, run: (signal) => removeLeft(context, signal) },
    { name: 'remove copies of phones that stayed', everyMs: SWEEP_MS, run: () => sweepArrivals(context) },
    {
      name: 'fail jobs of silent hosts',
      everyMs: SWEEP_MS,
      run: async () => {
        if (lease.steadyMs > HOST_LEASE_MS * 2) await failJobsOfSilentHosts(context, onEnded);
      },
    },
  ];
}
