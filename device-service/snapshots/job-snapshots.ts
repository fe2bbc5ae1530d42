import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { PhoneDriver, PhoneEndpoint } from '../../phone/driver.js';
import { snapshotsOf, withLimit } from '../converge/take-step.js';
import { JobFailure } from '../jobs/job-failure.js';
import { STEP_MS } from '../limits.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import type { JobResult } from '../store/device-document.js';
import { shownExit } from '../store/device-exit.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { SnapshotStore } from '../store/snapshots.js';
import { removeFiles, removeSnapshot } from './delete-snapshot.js';
import type { SeeBack } from './see-back.js';

export interface JobSnapshotsParts {
  snapshots: SnapshotStore;
  devices: DeviceStore;
  drivers: PhoneDrivers;
  seeBack: SeeBack;
  clock: Clock;
  log: Log;
}

export type JobSnapshots = ReturnType<typeof jobSnapshots>;

/** The steps of jobs that concern snapshots, other than those of the driver. Each may be repeated: a crash in it leaves the job. */
export function jobSnapshots(parts: JobSnapshotsParts) {
  const { snapshots, devices, drivers, seeBack, clock } = parts;
  return {
    /** Throws JobFailure or PhoneFailure unless the snapshot that the device's job begins from exists and is as it was saved. */
    assertWhole: async ({ job }: DeviceDocument, driver: PhoneDriver, signal: AbortSignal): Promise<void> => {
      const snapshot = await snapshots.find(job?.snapshot ?? '');
      if (snapshot?.state !== 'ready') {
        const message = 'The snapshot was deleted before the job began.';
        throw new JobFailure({ error: 'not_found', message });
      }
      await withLimit(clock, STEP_MS.check, signal, (limited) =>
        snapshotsOf(driver).check(snapshot._id, { signal: limited }),
      );
    },
    /**
     * Does the last work of a done job, before its end is written. Of a phone that holds a snapshot now, and runs: returns once it is
     * verified to be back, with the job's findings; throws JobFailure when it is not. Of a device that is gone: removes its snapshots.
     */
    finish: async (
      device: DeviceDocument,
      endpoint: PhoneEndpoint | undefined,
      signal: AbortSignal,
    ): Promise<JobResult | undefined> => {
      const { job, wanted, exit } = device;
      if (wanted === 'gone') await removeOf(device, signal);
      if (job?.snapshot === undefined) return undefined;
      if (endpoint === undefined) return { snapshot: job.snapshot };
      const seen = await seeBack(endpoint, signal);
      if (job.kind !== 'clone') return { snapshot: job.snapshot };
      return { snapshot: job.snapshot, identity: { ...seen, exit: shownExit(exit) } };
    },
    /** Records that a snapshot that a job of the device was to save was not saved. */
    workFailed: async (
      { driver }: Pick<DeviceDocument, 'driver'>,
      snapshotId: string,
      signal: AbortSignal,
    ): Promise<void> => {
      await snapshots.fail(snapshotId);
      // Saved, perhaps, by a try whose end was not written. A driver that cannot remove it must not keep the job from ending.
      await removeFiles(parts, { _id: snapshotId, driver }, signal);
    },
  };

  async function removeOf({ _id }: DeviceDocument, signal: AbortSignal): Promise<void> {
    for (const snapshot of await snapshots.findOfPhone(_id)) {
      await snapshots.beginDelete(snapshot._id);
      // No clone begins from it any more; one that is being made has to end first, and this is tried again.
      if ((await devices.findBySnapshot(snapshot._id)) !== null) throw new Error('a snapshot is being cloned');
      await withLimit(clock, STEP_MS.delete, signal, () => removeSnapshot({ snapshots, drivers }, snapshot));
    }
  }
}
