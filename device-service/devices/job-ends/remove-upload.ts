import type { JobEndSubscriber } from '../../record/ended-job.js';
import type { AppFolders } from '../apps/app-folders.js';

/** Removes the files that an install has sent to its phone. If a crash prevents that, the next sweep of the folders removes them. */
export function removeUpload(folders: AppFolders): JobEndSubscriber {
  return {
    name: 'remove the files of an install',
    jobEnded: async ({ job }) => {
      if (job.kind === 'install') await folders.remove(job.id);
    },
  };
}
