import type { JobEndSubscriber } from '../../record/ended-job.js';
import { unfiledJobs } from '../../store/jobs.js';
import type { JobWaits } from '../events/job-waits.js';

/** Ends the waits of callers for the job. After a crash there is no waiting caller. */
export function endWaits(waits: JobWaits): JobEndSubscriber {
  return {
    name: 'end the waits for a job',
    jobEnded: ({ device, job }) => {
      for (const ended of unfiledJobs({ ...device, finished: [job] })) waits.ended(ended);
    },
  };
}
