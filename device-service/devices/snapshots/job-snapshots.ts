import type { PhoneDriver, PhoneEndpoint } from '../../../phone/driver.js';
import { snapshotsOf } from '../phones/phone-drivers.js';
import { hostLimit } from '../phones/host-limit.js';
import { within } from '../../../kit/async/within.js';
import { JobFailure } from '../jobs/job-failure.js';
import { STEP_MS } from '../limits.js';
import type { JobResult } from '../../store/device-document.js';
import { shownExit } from '../../store/device-exit.js';
import type { DeviceDocument } from '../../store/devices.js';
import { removeSavedFiles } from '../phones/remove-saved-files.js';
import { removeSnapshot } from './delete-snapshot.js';
import type { SeeBack } from './see-back.js';
import type { DevicesContext } from '../devices-context.js';

export type JobSnapshots = ReturnType<typeof jobSnapshots>;

/**
 * Returns the steps of jobs that concern snapshots, other than the driver's steps. Each step may be repeated, because the job remains after
 * a crash in the middle of a step.
 */
export function jobSnapshots(
  context: Pick<DevicesContext, 'snapshots' | 'snapshotCopies' | 'devices' | 'drivers' | 'clock' | 'log'>,
  seeBack: SeeBack,
) {
  const { snapshots, snapshotCopies, devices, clock } = context;
  return {
    /**
     * Throws JobFailure or PhoneFailure unless the snapshot that the device's job begins from exists and is as it was saved. Files that the
     * host lacks are fetched, for which the time of the job, `maxMs`, is left.
     */
    assertWhole: async (
      { job }: DeviceDocument,
      driver: PhoneDriver,
      { signal, maxMs }: { signal: AbortSignal; maxMs: number },
    ): Promise<void> => {
      const snapshot = await snapshots.find(job?.snapshot ?? '');
      if (snapshot?.state !== 'ready') {
        const message = 'The snapshot was deleted before the job began.';
        throw new JobFailure({ error: 'not_found', message });
      }
      await within(hostLimit(clock, maxMs, signal), (limited) => snapshotCopies.fetch(snapshot, driver, limited));
      await within(hostLimit(clock, STEP_MS.check, signal), (limited) =>
        snapshotsOf(driver).check(snapshot._id, { signal: limited }),
      );
    },
    /**
     * Does the last work of a finished job, before the job's end is written. It removes the snapshots of a device that is gone. If a
     * running phone now holds a snapshot, it waits until the phone is verified to be back. It returns the job's result. Throws JobFailure
     * when the phone is not back.
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
    /** Records that a device's job failed to save its snapshot. */
    workFailed: async (
      { driver }: Pick<DeviceDocument, 'driver'>,
      snapshotId: string,
      signal: AbortSignal,
    ): Promise<void> => {
      await snapshots.fail(snapshotId);
      // An earlier try may have saved the snapshot without recording its end. A driver that cannot remove the snapshot must not keep the
      // job from ending.
      await removeSavedFiles(context, { _id: snapshotId, driver }, signal);
    },
  };

  async function removeOf({ _id }: DeviceDocument, signal: AbortSignal): Promise<void> {
    for (const snapshot of await snapshots.findOfPhone(_id)) {
      await snapshots.beginDelete(snapshot._id);
      // No clone can begin from the snapshot now. If a clone is being made, it has to end first; the removal is then tried again.
      if ((await devices.findBySnapshot(snapshot._id)) !== null) throw new Error('a snapshot is being cloned');
      await within(hostLimit(clock, STEP_MS.delete, signal), () => removeSnapshot(context, snapshot));
    }
  }
}
