import { dentV1, dentV2, statV1, statV2, syncFail, syncHeader } from '../../phone/adb/sync-messages.js';
import type { SyncRecord } from './sync-requests.js';

const REGULAR_FILE = 0o100644;

/**
 * The relay's reply to a sync record whose transfer it refuses with `text`; `ends`: the stream is closed behind it.
 *
 * Every path is reported as a regular file: only a SEND or RECV can fail with a text, so the client has to get that far. adb waits
 * without end when a stat fails, and aborts when the stream is closed instead.
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
      // To a push at once: older clients stop sending then, newer ones continue to their DONE. Both take it as the reply.
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
 * FAIL in the size of an entry: adb reads whole entries, and would wait without end for the rest of a shorter record. It ends with zeros:
 * Python's adb_shell takes the last four bytes for the length of a name.
 */
function failedList(entryBytes: number, text: string): Buffer {
  const size = entryBytes - syncHeader.sizeBytes;
  const body = Buffer.alloc(size);
  body.write(Buffer.byteLength(text) <= size - 4 ? text : 'refused');
  return Buffer.concat([syncHeader.write({ id: 'FAIL', length: size }), body]);
}
