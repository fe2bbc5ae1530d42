import { MAX_SYNC_DATA_BYTES, syncHeader } from '../adb/sync-messages.js';
import { phoneUnavailable } from '../link/phone-errors.js';
import { SyncRefusal, type SyncSession } from './sync-session.js';

/**
 * Requests a file, and returns its content as it comes. The stream throws unavailable when the phone stops before the end of the file. It
 * takes no more from the phone while its reader is busy.
 */
export async function receiveFile(
  session: SyncSession,
  path: string,
): Promise<AsyncGenerator<Buffer, void, undefined> | SyncRefusal> {
  await session.request('RECV', path);
  const first = await nextLength(session);
  return first instanceof SyncRefusal ? first : contentOf(session, first);
}

async function* contentOf(session: SyncSession, first: number | undefined): AsyncGenerator<Buffer, void, undefined> {
  for (let left = first; left !== undefined;) {
    while (left > 0) {
      const part = await session.reader.some(left);
      left -= part.length;
      yield part;
    }
    const next = await nextLength(session);
    if (next instanceof SyncRefusal) throw phoneUnavailable('The phone could not read the rest of the file.');
    left = next;
  }
}

/** Length of the next part of the file; undefined at its end. */
async function nextLength(session: SyncSession): Promise<number | SyncRefusal | undefined> {
  const { id, length } = syncHeader.read(await session.reader.exactly(syncHeader.sizeBytes));
  if (id === 'DONE') return undefined;
  if (id === 'FAIL') return session.failure(length);
  // An empty part would let a phone send for ever without sending anything.
  if (id !== 'DATA' || length === 0 || length > MAX_SYNC_DATA_BYTES) throw session.nonsense();
  return length;
}
