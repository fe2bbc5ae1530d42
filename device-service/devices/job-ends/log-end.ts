import type { Log } from '../../../kit/log/log.js';
import type { JobEndSubscriber } from '../../record/ended-job.js';

/** Writes the end of the job to the log. A crash may lose this line, but the filed job still has its outcome. */
export function logEnd(log: Log): JobEndSubscriber {
  return {
    name: 'log the end of a job',
    jobEnded: ({ device, job }) =>
      log.info({ job: job.id, kind: job.kind, device: device.name, state: job.outcome?.state }, 'job finished'),
  };
}
