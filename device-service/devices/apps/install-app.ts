import { ApkError } from '../../../phone/apk/apk-error.js';
import type { AppPackage } from '../../../phone/apk/app-package.js';
import type { PhoneEndpoint } from '../../../phone/driver.js';
import { JobFailure } from '../jobs/job-failure.js';
import type { Worker } from '../jobs/worker.js';
import type { InstallWork } from '../../store/job-work.js';
import type { JobResult } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { goneFromLibrary } from '../library/library-failure.js';
import { readForPhone } from './read-for-phone.js';
import { sendExpansions } from './send-expansions.js';
import { sendPackage } from './send-package.js';
import type { DevicesContext } from '../devices-context.js';

type InstallSources = Pick<
  DevicesContext,
  'catalogue' | 'appFolders' | 'appReader' | 'libraryFiles' | 'openLink' | 'clock'
>;

/** The part of the progress that belongs to sending; the phone's own work makes up the rest. */
const SENT_PERCENT = 90;
/** How many of the left-out files a result names. A result is stored with its job, and a bundle can have any number of files. */
const LEFT_OUT_SHOWN = 50;
/** How many characters of a file's name a result has. */
const NAME_SHOWN = 200;

/**
 * Installs an app on a running phone: an app of the catalogue, of the account's library, or the one that was uploaded for the job. A repeated
 * install installs the app over itself, and the app keeps its data.
 */
export function installApp(context: InstallSources): Worker<InstallWork> {
  return async ({ work, device, endpoint, signal, onProgress }) => {
    const app = await packageOf(context, work, device, { endpoint, signal });
    const link = await context.openLink(endpoint);
    try {
      const files = [...app.parts, ...app.expansions];
      const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      let sentBytes = 0;
      const onSent = (bytes: number): void => {
        sentBytes += bytes;
        onProgress((sentBytes / totalBytes) * SENT_PERCENT);
      };
      await sendPackage(link, app, { signal, onSent });
      const obb = await sendExpansions(link, app, { clock: context.clock, signal, onSent });
      return { result: resultOf(app, obb) };
    } finally {
      link.close();
    }
  };
}

function resultOf({ base, parts, leftOut }: AppPackage, obb: string[]): JobResult {
  const { package: name, versionName: version } = base;
  const more = leftOut.length - LEFT_OUT_SHOWN;
  return {
    package: name,
    ...(version !== '' && { version }),
    installed: parts.map(({ file }) => file.slice(0, NAME_SHOWN)),
    leftOut: leftOut.slice(0, LEFT_OUT_SHOWN).map(({ file, reason }) => ({ file: file.slice(0, NAME_SHOWN), reason })),
    ...(more > 0 && { leftOutMore: more }),
    obb,
  };
}

/** Reads the package again, as its file or the phone may have changed since the job was accepted. */
async function packageOf(
  context: InstallSources,
  work: InstallWork,
  { accountId, job }: DeviceDocument,
  phone: { endpoint: PhoneEndpoint; signal: AbortSignal },
): Promise<AppPackage> {
  const { from } = work;
  const jobId = job?.id ?? '';
  try {
    const file = await fileOf(context, from, jobId, phone.signal);
    if (file === undefined) throw goneFile(work);
    const upload = 'app' in from ? {} : { uploadOf: accountId };
    return await readForPhone(context, file, { ...phone, unpackTo: context.appFolders.unpacked(jobId), ...upload });
  } catch (error) {
    if (error instanceof ApkError) throw new JobFailure({ error: 'bad_request', message: error.message });
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw goneFile(work);
    throw error;
  }
}

/** Returns the path of the app's file on this host; undefined when the catalogue does not have the app any more. */
async function fileOf(
  { catalogue, appFolders, libraryFiles }: InstallSources,
  from: InstallWork['from'],
  jobId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if ('app' in from) return (await catalogue.find(from.app))?.file;
  if ('library' in from) return libraryFiles.get(from.library, signal);
  return appFolders.upload(jobId);
}

function goneFile({ package: name, from }: InstallWork): JobFailure {
  if ('library' in from) return goneFromLibrary(from.library.name);
  const message =
    'app' in from
      ? `The app "${from.app}" is not in the catalogue of this phone's host any more. GET /v1/apps lists the apps that are.`
      : `The file of ${name} is not there any more. Upload it again.`;
  return new JobFailure({ error: 'unavailable', message });
}
