import type { Log } from '../../kit/log/log.js';
import type { DeviceChange } from '../store/device-change.js';
import type { Job } from '../store/device-document.js';
import type { DeviceDocument } from '../store/devices.js';

/** A job that has ended, with its device as it was before the update that ended it. */
export interface EndedJob {
  device: DeviceDocument;
  job: Job;
  change: DeviceChange;
}

/** Work that follows the end of a job. A job that has ended stays ended. If a subscriber fails, it recovers by itself later. */
export interface JobEndSubscriber {
  /** Completes the text "could not …" in the log. */
  name: string;
  /** Called once in the process that ended the job. Nothing waits for it. */
  jobEnded: (ended: EndedJob) => Promise<void> | void;
}

/** Returns the function that notifies the subscribers, in their order. A failure of one is logged, and delays no other. */
export function notifying(subscribers: readonly JobEndSubscriber[], log: Log): (ended: EndedJob) => void {
  const notify = async ({ name, jobEnded }: JobEndSubscriber, ended: EndedJob): Promise<void> => {
    try {
      await jobEnded(ended);
    } catch (error) {
      log.warn({ job: ended.job.id, phone: ended.device._id, err: error }, `could not ${name}`);
    }
  };
  return (ended) => {
    for (const subscriber of subscribers) void notify(subscriber, ended);
  };
}
