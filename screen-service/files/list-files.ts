import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { type Listing, listDirectory } from '../../phone/sync/list-directory.js';
import { statFile } from '../../phone/sync/stat-file.js';
import { SyncRefusal } from '../../phone/sync/sync-session.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import { devicePath } from './device-path.js';
import { fileRefusal } from './file-refusal.js';
import { withSync } from './file-session.js';

const DOING = 'list a directory';

/** Lists a directory of a phone. Throws not_found and bad_request in the cases that the API contract names. */
export async function listFiles(
  call: Call,
  phoneSession: ReachedPhone,
  given: string,
): Promise<Listing & { path: string }> {
  const path = devicePath(given);
  const listing = await withSync(call, phoneSession, DOING, async (session) => {
    // The list of a missing directory looks like that of an empty one.
    const stat = await statFile(session, path, { follow: true });
    if (stat instanceof SyncRefusal || stat.kind !== 'directory') return stat;
    return listDirectory(session, path, phoneSession.limits.maxDirectoryEntries);
  });
  if (listing instanceof SyncRefusal) throw fileRefusal(listing.reason, path, DOING);
  if ('kind' in listing)
    throw new ApiError('bad_request', `path: ${path} is no directory. GET …/files/content?path= reads a file.`);
  return { path, ...listing };
}
