import type { JobEndSubscriber } from '../../record/ended-job.js';
import type { TimelineRoom } from '../timeline/timeline-room.js';

/** Removes the timeline of a device that is gone. If a crash prevents that, its entries are removed when their time is over. */
export function removeTimeline(room: TimelineRoom): JobEndSubscriber {
  return {
    name: 'remove the timeline of a device',
    jobEnded: async ({ device, change }) => {
      if (change.gone === true) await room.removeOfPhone(device._id);
    },
  };
}
