import { JobFailure } from '../jobs/job-failure.js';
import { asNamed } from './library-name.js';

/** Why a file could not be fetched. It names no app: accounts with the same file share a fetch, each under a name of its own. */
export class FetchFailure extends Error {
  override name = 'FetchFailure';
  readonly why: 'gone' | 'away' | 'no room';

  constructor(why: FetchFailure['why'], cause?: unknown) {
    super(`the file of an app was not fetched: ${why}`, { cause });
    this.why = why;
  }
}

/** Returns the failure of an install of the app `name` by the failure of a fetch. */
export function failureOf({ why, cause }: FetchFailure, name: string): JobFailure {
  if (why === 'gone') return goneFromLibrary(name);
  return why === 'away' ? awayFromLibrary(name, cause) : noRoomForFile(cause);
}

/** Returns the failure of an install whose file is on no host any more, as after the loss of a disk. */
export function goneFromLibrary(name: string): JobFailure {
  const app = asNamed(name);
  const message = `The file of "${app}" is not there any more. Upload the app again: PUT /v1/library/apps/${name}.`;
  return new JobFailure({ error: 'unavailable', message });
}

/** Returns the failure of an install whose file is on hosts that do not send it now. */
function awayFromLibrary(name: string, cause: unknown): JobFailure {
  const message =
    `The file of "${asNamed(name)}" is on another host, which cannot be reached just now. ` +
    `Try again later, or upload the app again: PUT /v1/library/apps/${name}.`;
  return new JobFailure({ error: 'unavailable', message }, undefined, { cause });
}

/** Returns the failure of an install whose file has no room on the phone's host. */
function noRoomForFile(cause: unknown): JobFailure {
  const message =
    "There is no room for this app on the phone's host just now. Delete snapshots or devices, or try again later.";
  return new JobFailure({ error: 'unavailable', message }, undefined, { cause });
}
