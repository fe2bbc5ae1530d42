import type { JobEndSubscriber } from '../../record/ended-job.js';
import type { AppFolders } from '../uploads/app-folders.js';

/** Removes the files that a job has sent to its phone. If a crash prevents that, the next sweep of the folders removes them. */
export function removeUpload(folders: AppFolders): JobEndSubscriber {
  return {
    name: 'remove the files of an install',
    jobEnded: async ({ device, job }) => {
      if (job.kind === 'install' || device.job?.apps !== undefined) await folders.remove(job.id);
    },
  };
}
