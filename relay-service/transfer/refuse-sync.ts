import { dentV1, dentV2, statV1, statV2, syncFail, syncHeader } from '../../phone/adb/sync-messages.js';
import type { AwaitedReply } from './sync-replies.js';
import type { SyncRequestReader } from './sync-requests.js';

const REGULAR_FILE = 0o100644;
const NO_TIMES = { atimeS: 0, mtimeS: 0, ctimeS: 0 };
const NO_OWNER = { error: 0, dev: 0, ino: 1, nlink: 1, uid: 0, gid: 0, sizeBytes: 0 };

/**
 * Answers a sync stream in the phone's place, and refuses every transfer with `text`. Whatever is asked about is said to be a
 * regular file: only a SEND or RECV can be told FAIL, so the client must be led that far. adb waits for ever when a stat is
 * failed, and aborts when the stream is closed instead.
 */
export function refuseSync(text: string, write: (bytes: Buffer) => void, end: () => void): SyncRequestReader {
  const fail = (): void => write(syncFail(text));
  return {
    stat: (id) => write(statOfFile(id)),
    list: (id) => write(failedList(id, text)),
    // At once: older clients stop sending then, newer ones go on to their DONE; either way it is their answer.
    send: fail,
    data: () => undefined,
    done: () => undefined,
    receive: fail,
    quit: end,
  };
}

/** The answer to a request that the phone was asked and will not answer any more. */
export function refusedReply(kind: AwaitedReply, text: string): Buffer {
  switch (kind) {
    case 'stat':
      return statOfFile('STAT');
    case 'stat2':
      return statOfFile('STA2');
    case 'list':
      return failedList('LIST', text);
    case 'list2':
      return failedList('LIS2', text);
    case 'send':
    case 'receive':
      return syncFail(text);
  }
}

/**
 * The rest of a DATA record of which the first `sentBytes` of the header went out already, made as short as they allow; its
 * content is zeros, in a file that is refused anyway.
 */
export function shortestRest(header: Buffer, sentBytes: number): Buffer {
  const { id, length } = syncHeader.read(header);
  const lengthBytesSent = Math.max(0, sentBytes - 4);
  const shortest = length % 256 ** lengthBytesSent;
  return Buffer.concat([syncHeader.write({ id, length: shortest }).subarray(sentBytes), Buffer.alloc(shortest)]);
}

function statOfFile(id: string): Buffer {
  if (id === 'STAT') return statV1.write({ id, mode: REGULAR_FILE, sizeBytes: 0, mtimeS: 0 });
  return statV2.write({ id, mode: REGULAR_FILE, ...NO_OWNER, ...NO_TIMES });
}

/**
 * FAIL in the size of the entry that is waited for: adb reads whole entries, and a shorter answer would leave it waiting for ever. In
 * this size it ends with status 1; other clients read the text.
 */
function failedList(id: string, text: string): Buffer {
  const size = (id === 'LIST' ? dentV1 : dentV2).sizeBytes - syncHeader.sizeBytes;
  const short = Buffer.byteLength(text) <= size ? text : SHORT_TEXT;
  return Buffer.concat([
    syncHeader.write({ id: 'FAIL', length: size }),
    Buffer.alloc(size, ' ').fill(short, 0, short.length),
  ]);
}

/** Fits the older entry, 20 bytes with its header. */
const SHORT_TEXT = 'not possible';
