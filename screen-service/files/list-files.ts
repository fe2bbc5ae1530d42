import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { type Listing, listDirectory } from '../../phone/sync/list-directory.js';
import { statFile } from '../../phone/sync/stat-file.js';
import { SyncRefusal } from '../../phone/sync/sync-session.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { devicePath } from './device-path.js';
import { fileRefusal } from './file-refusal.js';
import { withSync } from './file-session.js';

const DOING = 'list a directory';

/** Lists a directory of a phone. Throws not_found and bad_request as the contract has them. */
export async function listFiles(call: Call, kept: KeptPhone, given: string): Promise<Listing & { path: string }> {
  const path = devicePath(given);
  const listing = await withSync(call, kept, DOING, async (session) => {
    // A list of a directory that is not there looks like one of an empty directory.
    const stat = await statFile(session, path, { follow: true });
    if (stat instanceof SyncRefusal || stat.kind !== 'directory') return stat;
    return listDirectory(session, path, kept.limits.directoryEntriesMost);
  });
  if (listing instanceof SyncRefusal) throw fileRefusal(listing.reason, path, DOING);
  if ('kind' in listing)
    throw new ApiError('bad_request', `path: ${path} is no directory. GET …/files/content?path= reads a file.`);
  return { path, ...listing };
}
