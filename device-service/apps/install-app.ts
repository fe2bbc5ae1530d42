import { ApkError } from '../../phone/apk/apk-error.js';
import type { AppPackage } from '../../phone/apk/app-package.js';
import type { AppReader } from '../../phone/apk/app-reader.js';
import { JobFailure } from '../jobs/job-failure.js';
import type { Worker } from '../jobs/worker.js';
import type { OpenLink } from '../phones/open-link.js';
import type { InstallWork } from '../store/job-work.js';
import type { DeviceDocument } from '../store/devices.js';
import type { AppFolders } from './app-folders.js';
import type { Catalogue } from './catalogue.js';
import { withRoom } from './with-room.js';
import { sendPackage } from './send-package.js';

export interface InstallAppParts {
  catalogue: Catalogue;
  folders: AppFolders;
  appReader: AppReader;
  openLink: OpenLink;
}

/**
 * Installs an app on a running phone: one of the catalogue, or the one that was uploaded for the job. Doing it again installs it over
 * itself, which leaves the same app with the same data.
 */
export function installApp(parts: InstallAppParts): Worker<InstallWork> {
  return async ({ work, device, endpoint, signal, onProgress }) => {
    const app = await packageOf(parts, work, device);
    const link = await parts.openLink(endpoint);
    try {
      await sendPackage(link, app, { signal, onProgress });
    } finally {
      link.close();
    }
    const { package: name, versionName: version } = app.base;
    return { result: { package: name, ...(version !== '' && { version }) } };
  };
}

/** The file may have changed, or be gone, since the job was accepted. */
async function packageOf(
  { catalogue, folders, appReader }: InstallAppParts,
  work: InstallWork,
  { accountId, job }: DeviceDocument,
): Promise<AppPackage> {
  const { from } = work;
  const jobId = job?.id ?? '';
  const file = 'app' in from ? (await catalogue.find(from.app))?.file : folders.upload(jobId);
  try {
    if (file === undefined) throw goneFile(work);
    const options = { unpackTo: folders.unpacked(jobId), leavesRoom: true };
    const upload = 'app' in from ? {} : { uploadOf: accountId };
    return await withRoom(() => appReader.readPackage(file, { ...options, ...upload }));
  } catch (error) {
    if (error instanceof ApkError) throw new JobFailure({ error: 'bad_request', message: error.message });
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw goneFile(work);
    throw error;
  }
}

function goneFile({ package: name, from }: InstallWork): JobFailure {
  const message =
    'app' in from
      ? `The app "${from.app}" is not in the catalogue of this phone's host any more. GET /v1/apps lists the apps that are.`
      : `The file of ${name} is not there any more. Upload it again.`;
  return new JobFailure({ error: 'unavailable', message });
}
