import { dentV1, dentV2, syncHeader } from '../adb/sync-messages.js';
import { type FileStat, fileStat } from './file-stat.js';
import { SyncRefusal, type SyncSession } from './sync-session.js';

/** The longest name that is read, bytes. It is the protocol's longest path; names on Linux have up to 255 bytes. */
const MAX_NAME_BYTES = 1_024;

/** The entries of a directory. */
export interface Listing {
  entries: { name: string; stat: FileStat }[];
  /** Whether there are more entries, which were not read. */
  truncated: boolean;
  /** The number of entries without a name of their own in UTF-8. */
  unnamed: number;
}

/**
 * Lists a directory, without `.` and `..`, up to `maxEntries` entries; after a truncated list the session must be ended. A directory that
 * the phone cannot read looks empty.
 */
export async function listDirectory(
  session: SyncSession,
  path: string,
  maxEntries: number,
): Promise<Listing | SyncRefusal> {
  const isV2 = session.features.canUse('ls_v2');
  await session.request(isV2 ? 'LIS2' : 'LIST', path);
  const listing: Listing = { entries: [], truncated: false, unnamed: 0 };
  const names = new Set<string>();
  // Two entries more may come, for `.` and `..`.
  for (let left = maxEntries + 2; ; left--) {
    const entry = await nextEntry(session, isV2);
    if (entry === undefined) return listing;
    if (entry instanceof SyncRefusal) return entry;
    const name = nameOf(entry.name);
    const isNoEntry = name === '.' || name === '..';
    const isFull = listing.entries.length + listing.unnamed >= maxEntries;
    if (left <= 0 || (isFull && !isNoEntry)) return { ...listing, truncated: true };
    if (isNoEntry) continue;
    if (name === undefined || names.has(name)) {
      listing.unnamed++;
      continue;
    }
    names.add(name);
    listing.entries.push({ name, stat: entry.stat });
  }
}

/** The next entry; undefined at the end. */
async function nextEntry(
  session: SyncSession,
  isV2: boolean,
): Promise<{ name: Buffer; stat: FileStat } | SyncRefusal | undefined> {
  const layout = isV2 ? dentV2 : dentV1;
  // The header is read before the rest, because a failure is shorter than an entry.
  const head = await session.reader.exactly(syncHeader.sizeBytes);
  const { id, length } = syncHeader.read(head);
  if (id === 'FAIL') return session.failure(length);
  if (id !== (isV2 ? 'DNT2' : 'DENT') && id !== 'DONE') throw session.nonsense();
  const rest = await session.reader.exactly(layout.sizeBytes - syncHeader.sizeBytes);
  if (id === 'DONE') return undefined;
  const record = layout.read(Buffer.concat([head, rest]));
  if (record.nameLength > MAX_NAME_BYTES) throw session.nonsense();
  return { name: await session.reader.exactly(record.nameLength), stat: fileStat(record, isV2) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A name as text; undefined where it is not UTF-8, or could not be a name. */
function nameOf(bytes: Buffer): string | undefined {
  if (bytes.length === 0 || bytes.includes(0) || bytes.includes(0x2f)) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
