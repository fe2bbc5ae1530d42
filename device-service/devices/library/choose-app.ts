import { ApiError } from '../../../kit/errors/api-error.js';
import type { JobApp } from '../../store/job-work.js';
import type { DevicesContext } from '../devices-context.js';
import { libraryNameIn } from './library-name.js';

type ChooseContext = Pick<DevicesContext, 'catalogue' | 'library'>;

/**
 * Returns the app of the catalogue, or of the account's library, that a caller named. An app of the library has the file that the name has
 * now, whatever is uploaded later. Throws bad_request when there is none; `field` is the field that names it.
 */
export async function chooseApp(
  { catalogue, library }: ChooseContext,
  accountId: string,
  app: string,
  field: string,
): Promise<JobApp> {
  const name = libraryNameIn(app);
  if (name === undefined) {
    const entry = await catalogue.find(app);
    if (entry !== undefined) return { app, package: entry.package, from: { app } };
    throw new ApiError('bad_request', `${field}: there is no "${app}" in the catalogue. GET /v1/apps has the list.`);
  }
  const found = await library.find(accountId, name);
  if (found !== null) return { app, package: found.package, from: { library: { name, sha256: found.sha256 } } };
  throw new ApiError(
    'bad_request',
    `${field}: there is no "${app}" in the library of this account. GET /v1/library/apps has the list.`,
  );
}

/**
 * Notes that installs of the apps were accepted. A failure is logged and no more: the installs go on, and the times are only shown, and
 * compared with months.
 */
export async function noteUses(
  { library, clock, log }: Pick<DevicesContext, 'library' | 'clock' | 'log'>,
  accountId: string,
  apps: readonly JobApp[],
): Promise<void> {
  const now = new Date(clock.now());
  for (const { app, from } of apps) {
    if (!('library' in from)) continue;
    await library
      .noteUse(accountId, from.library.name, from.library.sha256, now)
      .catch((err: unknown) => log.warn({ app, err }, 'could not note the use of an app of a library'));
  }
}
