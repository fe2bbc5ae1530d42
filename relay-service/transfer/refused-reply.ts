import { dentV1, dentV2, statV1, statV2, syncFail, syncHeader } from '../../phone/adb/sync-messages.js';
import type { SyncRecord } from './sync-requests.js';

const REGULAR_FILE = 0o100644;

/**
 * Returns the relay's reply to a sync record of a transfer that is refused with `text`. `ends`: the stream is closed after the reply.
 *
 * A stat reports every path as a regular file, so that the client goes on to its SEND or RECV. Those can fail with a text. When a stat
 * fails, adb waits without end. When the stream is closed in place of a reply, adb aborts.
 */
export function refusedReply(record: SyncRecord, text: string): { bytes?: Buffer; ends?: boolean } {
  switch (record) {
    case 'stat':
      return { bytes: statV1.write({ id: 'STAT', mode: REGULAR_FILE, sizeBytes: 0, mtimeS: 0 }) };
    case 'stat2':
      return { bytes: statOfFile('STA2') };
    case 'lstat2':
      return { bytes: statOfFile('LST2') };
    case 'list':
      return { bytes: failedList(dentV1.sizeBytes, text), ends: true };
    case 'list2':
      return { bytes: failedList(dentV2.sizeBytes, text), ends: true };
    case 'send':
    case 'receive':
      // The reply to a push is sent at once. Older clients then stop sending; newer ones continue to their DONE. Both take this FAIL as the
      // result.
      return { bytes: syncFail(text) };
    case 'data':
    case 'done':
      return {};
    case 'quit':
      return { ends: true };
  }
}

function statOfFile(id: string): Buffer {
  const owner = { error: 0, dev: 0, ino: 1, nlink: 1, uid: 0, gid: 0 };
  return statV2.write({ id, mode: REGULAR_FILE, sizeBytes: 0, ...owner, atimeS: 0, mtimeS: 0, ctimeS: 0 });
}

/**
 * Returns a FAIL as long as an entry of a list, as adb reads whole entries. For the rest of a shorter record it would wait without end. The
 * FAIL ends with zeros, as Python's adb_shell takes the last four bytes for the length of a name.
 */
function failedList(entryBytes: number, text: string): Buffer {
  const size = entryBytes - syncHeader.sizeBytes;
  const body = Buffer.alloc(size);
  body.write(Buffer.byteLength(text) <= size - 4 ? text : 'refused');
  return Buffer.concat([syncHeader.write({ id: 'FAIL', length: size }), body]);
}
