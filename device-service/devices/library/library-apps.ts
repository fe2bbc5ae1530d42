import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readPage } from '../../../kit/call/page.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  type LibraryApp,
  LibraryAppSchema,
  type ListLibraryAppsRequest,
} from '../../../proto/gen/cloudphone/device/v1/library_service_pb.js';
import type { LibraryAppDocument } from '../../store/library.js';
import type { DevicesContext } from '../devices-context.js';
import { asNamed } from './library-name.js';

/** Returns an app of a library as callers see it. */
export function libraryAppMessage(app: LibraryAppDocument): LibraryApp {
  const { name, package: packageName, version, sizeBytes, sha256, uploadedAt, lastUsedAt } = app;
  return create(LibraryAppSchema, {
    ...{ name, package: packageName, version, size: sizeBytes, sha256 },
    uploadedAt: timestampFromDate(uploadedAt),
    lastUsedAt: lastUsedAt && timestampFromDate(lastUsedAt),
  });
}

/** Returns the account's apps, by name. */
export async function listLibraryApps(
  { library }: Pick<DevicesContext, 'library'>,
  { accountId }: Caller,
  request: ListLibraryAppsRequest,
): Promise<{ items: LibraryApp[]; nextCursor?: string }> {
  const { items, ...page } = await readPage(
    request,
    (limit, afterName) => library.list(accountId, limit, afterName),
    ({ name }) => name,
  );
  return { items: items.map(libraryAppMessage), ...page };
}

export async function getLibraryApp(
  { library }: Pick<DevicesContext, 'library'>,
  { accountId }: Caller,
  name: string,
): Promise<LibraryApp> {
  const found = await library.find(accountId, name);
  if (found === null) throw noSuchApp(name);
  return libraryAppMessage(found);
}

/**
 * Deletes an app. Its file stays until no job names it, and a while longer. Throws busy when pools use the app. A pool may come at the same
 * time, so it looks for pools once more, and puts the app back. After a crash in between that pool says what it lacks.
 */
export async function deleteLibraryApp(
  { library, pools }: Pick<DevicesContext, 'library' | 'pools'>,
  { accountId }: Caller,
  name: string,
): Promise<void> {
  const app = await library.find(accountId, name);
  const users = await pools.usersOfApp(accountId, asNamed(name));
  if (users.length > 0) throw usedBy(name, users);
  if (app === null || !(await library.delete(accountId, name))) throw noSuchApp(name);
  const late = await pools.usersOfApp(accountId, asNamed(name));
  if (late.length === 0) return;
  await library.putBack(app);
  throw usedBy(name, late);
}

function usedBy(name: string, users: readonly string[]): ApiError {
  const [shown, more] = [users.slice(0, USERS_SHOWN), users.length - USERS_SHOWN];
  const names = `${shown.map((one) => `"${one}"`).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return new ApiError(
    'busy',
    `The app "${name}" is used by the pools ${names}. Change them first: PUT /v1/pools/{name} without "${asNamed(name)}".`,
  );
}

/** How many pools a message names. */
const USERS_SHOWN = 10;

function noSuchApp(name: string): ApiError {
  return new ApiError('not_found', `There is no app "${name}" in the library. GET /v1/library/apps has the list.`);
}
