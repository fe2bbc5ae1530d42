import { createHash } from 'node:crypto';
import type { Call } from '../../../kit/call/call.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { LibraryApp, PutLibraryAppRequest } from '../../../proto/gen/cloudphone/device/v1/library_service_pb.js';
import { newUploadId } from '../../accounts/quotas/upload-claims.js';
import type { NewLibraryApp } from '../../store/library.js';
import { receiveFile } from '../uploads/receive-file.js';
import { refusingFaults } from '../uploads/refused-app.js';
import { assertUploadRoom, bytesOf } from '../uploads/upload-parts.js';
import { withRoom } from '../uploads/with-room.js';
import type { DevicesContext } from '../devices-context.js';
import { MAX_LIBRARY_APPS, MAX_UPLOAD_BYTES } from '../limits.js';
import { libraryAppMessage } from './library-apps.js';
import { assertLibraryName } from './library-name.js';

/**
 * Receives an app for the account's library, checks it, and stores it under its name. The order is: the file is received and durable in a
 * folder of this upload; it is renamed to its checksum; this host's copy is noted; the app is written.
 *
 * A crash before the rename leaves the folder, which the next start removes. A crash after it leaves a file that no app names, which the
 * sweep removes. The app that had the name stays until the last of these steps, and its file for a while longer.
 */
export async function putLibraryApp(
  context: DevicesContext,
  { accountId }: Caller,
  messages: AsyncIterable<PutLibraryAppRequest>,
  { signal }: Pick<Call, 'signal'>,
  maxBytes = MAX_UPLOAD_BYTES,
): Promise<LibraryApp> {
  const iterator = messages[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) throw new ApiError('bad_request', 'The upload is empty: its first message names the app.');
  const { name, contentType } = first.value;
  assertLibraryName(name);
  // This is checked again before the app is stored. It comes first too, so that a hopeless upload is not received.
  await assertMayPut(context, accountId, name);
  assertUploadRoom(context.uploads, accountId);
  return context.uploads.run(accountId, () => {
    const id = newUploadId(context.clock.now());
    return context.appFolders.hold(id, async () => {
      const to = context.appFolders.upload(id);
      const hash = createHash('sha256');
      const sizeBytes = await receiveFile(bytesOf(first.value, { [Symbol.asyncIterator]: () => iterator }), {
        ...{ contentType, to, maxBytes, hostSpace: context.uploadSpace, signal },
        onPiece: (piece) => void hash.update(piece),
      });
      // No phone is known yet, so a bundle's base APK for the newest phones is read, as for the catalogue.
      const options = { unpackTo: context.appFolders.unpacked(id), uploadOf: accountId, leavesRoom: true };
      const { base } = await refusingFaults(() => withRoom(() => context.appReader.readPackage(to, options)));
      const facts = { package: base.package, version: base.versionName, sizeBytes, sha256: hash.digest('hex') };
      return store(context, to, id, { ...facts, accountId, name, uploadedAt: new Date(context.clock.now()) });
    });
  });
}

/** Stores a file that was received and checked, within the account's quota. */
async function store(context: DevicesContext, from: string, id: string, app: NewLibraryApp): Promise<LibraryApp> {
  const { library, libraryCopies, libraryFolder, quotas, hostId } = context;
  const { accountId, name, sha256, sizeBytes } = app;
  // The uploads of an account are stored one after the other, so that they count each other.
  return context.storingApps.run(accountId, async () => {
    await assertMayPut(context, accountId, name);
    const replaces = (await library.find(accountId, name)) !== null;
    const need = { id, devices: 0, bytes: await moreBytes(context, app), replaces };
    return quotas.within(accountId, need, () =>
      libraryFolder.exclusively(sha256, async () => {
        await libraryFolder.place(from, sha256);
        await libraryCopies.note({ sha256, hostId, sizeBytes });
        return libraryAppMessage(await library.put(app));
      }),
    );
  });
}

/** Throws rate_limited when the account has as many apps as it may, unless the upload replaces one. */
async function assertMayPut({ library }: DevicesContext, accountId: string, name: string): Promise<void> {
  if ((await library.count(accountId, MAX_LIBRARY_APPS)) < MAX_LIBRARY_APPS) return;
  if ((await library.find(accountId, name)) !== null) return;
  const message = `The library has its ${MAX_LIBRARY_APPS} apps. Delete one first: DELETE /v1/library/apps/{name}.`;
  throw new ApiError('rate_limited', message);
}

/** Returns how many bytes more the account stores with the app. The file of the app that it replaces is not counted any more. */
async function moreBytes({ library }: DevicesContext, app: NewLibraryApp): Promise<number> {
  const { accountId, name, sha256, sizeBytes } = app;
  const [files, before] = await Promise.all([library.files(accountId), library.find(accountId, name)]);
  if (files.has(sha256)) return 0;
  const isShared = before !== null && (await library.countOfFile(accountId, before.sha256)) > 1;
  return Math.max(0, sizeBytes - (before === null || isShared ? 0 : before.sizeBytes));
}
