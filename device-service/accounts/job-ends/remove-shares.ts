import type { JobEndSubscriber } from '../../record/ended-job.js';
import type { ShareStore } from '../../store/shares.js';

/**
 * Removes the shares of a device that is gone. If a crash prevents that, they are removed when their time is over; nobody can use them
 * until then.
 */
export function removeShares(shares: ShareStore): JobEndSubscriber {
  return {
    name: 'remove the shares of a device',
    jobEnded: async ({ device, change }) => {
      if (change.gone === true) await shares.removeOfPhone(device._id);
    },
  };
}
