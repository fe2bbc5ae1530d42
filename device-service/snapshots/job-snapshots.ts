import type { Clock } from '../../kit/clock.js';
import type { JobSnapshots } from '../converge/job-snapshots.js';
import { snapshotsOf, withLimit } from '../converge/take-step.js';
import { JobFailure } from '../jobs/job-failure.js';
import { STEP_MS } from '../limits.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import { shownExit } from '../store/device-exit.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { SnapshotStore } from '../store/snapshots.js';
import { removeSnapshot } from './delete-snapshot.js';
import type { SeeBack } from './see-back.js';

/** The parts of jobs that concern snapshots. A crash in any of it leaves the job, which does it again. */
export function jobSnapshots(parts: {
  snapshots: SnapshotStore;
  devices: DeviceStore;
  drivers: PhoneDrivers;
  seeBack: SeeBack;
  clock: Clock;
}): JobSnapshots {
  const { snapshots, devices, drivers, seeBack, clock } = parts;
  return {
    assertWhole: async ({ job }, driver, signal) => {
      const snapshot = await snapshots.find(job?.snapshot ?? '');
      if (snapshot?.state !== 'ready') {
        const message = 'The snapshot was deleted before the job began.';
        throw new JobFailure({ error: 'not_found', message });
      }
      await withLimit(clock, STEP_MS.check, signal, (limited) =>
        snapshotsOf(driver).check(snapshot._id, { signal: limited }),
      );
    },
    finish: async (device, endpoint, signal) => {
      const { job, wanted, exit } = device;
      if (wanted === 'gone') await removeOf(device);
      if (job?.snapshot === undefined) return undefined;
      if (endpoint === undefined) return { snapshot: job.snapshot };
      const seen = await seeBack(endpoint, signal);
      if (job.kind !== 'clone') return { snapshot: job.snapshot };
      return { snapshot: job.snapshot, identity: { ...seen, exit: shownExit(exit) } };
    },
    workFailed: async (device) => {
      const { work } = device.job ?? {};
      if (work?.kind !== 'snapshot') return;
      // Saved, perhaps, by a try whose end was not written.
      await drivers.of(device).snapshots?.delete(work.snapshotId);
      await snapshots.fail(work.snapshotId);
    },
  };

  async function removeOf({ _id }: DeviceDocument): Promise<void> {
    for (const snapshot of await snapshots.findOfPhone(_id)) {
      await snapshots.beginDelete(snapshot._id);
      // No clone begins from it any more; one that is being made has to end first, and this is tried again.
      if ((await devices.findBySnapshot(snapshot._id)) !== null) throw new Error('a snapshot is being cloned');
      await removeSnapshot({ snapshots, drivers }, snapshot);
    }
  }
}
