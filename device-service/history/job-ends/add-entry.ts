import type { TimelineQueue } from '../../../kit/timeline/timeline-queue.js';
import type { JobEndSubscriber } from '../../record/ended-job.js';
import { jobEntry } from '../timeline/job-entry.js';

/**
 * Adds the job to the timeline of its device. A crash loses the queued entries. That is accepted, as charges do not depend on a timeline.
 */
export function addEntry(timelineQueue: Pick<TimelineQueue, 'add'>): JobEndSubscriber {
  return {
    name: 'add a job to a timeline',
    jobEnded: ({ device, job }) => {
      const entry = jobEntry(device, job);
      if (entry !== undefined) timelineQueue.add({ phoneId: device._id, heldBytes: 0, make: () => entry });
    },
  };
}
