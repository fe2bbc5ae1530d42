import type { JobEndSubscriber } from '../../record/ended-job.js';
import type { DeviceMetrics } from '../metrics.js';

/** Counts the job for the operator. A crash loses the count, as it loses the process's other counts. */
export function countJob(metrics: DeviceMetrics): JobEndSubscriber {
  return {
    name: 'count a job',
    jobEnded: ({ job }) => {
      if (job.outcome !== undefined) metrics.jobFinished(job, job.outcome);
    },
  };
}
