import type { JobEndSubscriber } from '../../record/ended-job.js';
import type { CrashStore } from '../../store/crashes.js';

/** Removes the crashes of a device that is gone. If a crash of the service prevents that, they are found within an hour. */
export function removeCrashes(crashes: CrashStore): JobEndSubscriber {
  return {
    name: 'remove the crashes of a device',
    jobEnded: async ({ device, change }) => {
      if (change.gone === true) await crashes.removeOfPhone(device._id);
    },
  };
}
