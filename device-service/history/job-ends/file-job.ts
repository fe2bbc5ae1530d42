import type { JobEndSubscriber } from '../../record/ended-job.js';
import { unfiledJobs } from '../../store/jobs.js';
import type { FinishedJobs } from '../events/finished-jobs.js';

/**
 * Publishes the event of the job and files it. If a crash prevents that, the job is still with its device, and is filed from there
 * (`fileLeft`).
 */
export function fileJob(finishedJobs: FinishedJobs): JobEndSubscriber {
  return {
    name: 'file a job',
    jobEnded: ({ device, job }) => {
      for (const ended of unfiledJobs({ ...device, finished: [job] })) finishedJobs.add(ended);
    },
  };
}
