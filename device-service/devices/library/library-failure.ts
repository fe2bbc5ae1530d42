import { JobFailure } from '../jobs/job-failure.js';
import { asNamed } from './library-name.js';

/** Returns the failure of an install whose file is on no host any more, as after the loss of a disk. */
export function goneFromLibrary(name: string): JobFailure {
  const app = asNamed(name);
  const message = `The file of "${app}" is not there any more. Upload the app again: PUT /v1/library/apps/${name}.`;
  return new JobFailure({ error: 'unavailable', message });
}

/** Returns the failure of an install whose file is on hosts that do not send it now. */
export function awayFromLibrary(name: string, cause: unknown): JobFailure {
  const message =
    `The file of "${asNamed(name)}" is on another host, which cannot be reached just now. ` +
    `Try again later, or upload the app again: PUT /v1/library/apps/${name}.`;
  return new JobFailure({ error: 'unavailable', message }, undefined, { cause });
}

/** Returns the failure of an install whose file has no room on the phone's host. */
export function noRoomForFile(cause: unknown): JobFailure {
  const message =
    "There is no room for this app on the phone's host just now. Delete snapshots or devices, or try again later.";
  return new JobFailure({ error: 'unavailable', message }, undefined, { cause });
}
