import {
  MAX_SYNC_DATA_BYTES,
  MAX_SYNC_PATH_BYTES,
  receiveV2,
  sendV2,
  syncHeader,
} from '../../phone/adb/sync-messages.js';

/** The kinds of records. A number in a kind is the version of its reply's format. `data` and `done` follow a `send`. */
export type SyncRecord = 'stat' | 'stat2' | 'lstat2' | 'list' | 'list2' | 'send' | 'receive' | 'data' | 'done' | 'quit';

/** Records outside of a push, by id: the kind, and how many bytes follow the path. */
const REQUESTS: Record<string, [kind: SyncRecord, bytesBehindPath: number]> = {
  STAT: ['stat', 0],
  STA2: ['stat2', 0],
  LST2: ['lstat2', 0],
  LIST: ['list', 0],
  LIS2: ['list2', 0],
  SEND: ['send', 0],
  SND2: ['send', sendV2.sizeBytes],
  RECV: ['receive', 0],
  RCV2: ['receive', receiveV2.sizeBytes],
  QUIT: ['quit', 0],
};

/**
 * Follows the client's side of a sync stream record by record, without holding the records' bodies. Throws MalformedSync at bytes that no
 * client of this protocol sends, as the next record cannot be found after them.
 */
export class SyncRequestParser {
  readonly #header = Buffer.alloc(syncHeader.sizeBytes);
  #filled = 0;
  #skip = 0;
  #isInSend = false;
  #record: SyncRecord | undefined;

  /**
   * Calls `onRecord` when a record's header is whole, with the record's length and its place in `bytes` (negative: before them). Calls
   * `onComplete` when the record's body has been received too.
   */
  push(
    bytes: Buffer,
    onRecord: (record: SyncRecord, length: number, at: number) => void,
    onComplete: (record: SyncRecord) => void = () => undefined,
  ): void {
    const complete = (): void => {
      const record = this.#record;
      if (record === undefined || this.#skip > 0) return;
      this.#record = undefined;
      onComplete(record);
    };
    let at = 0;
    while (at < bytes.length) {
      const skipped = Math.min(this.#skip, bytes.length - at);
      this.#skip -= skipped;
      at += skipped;
      complete();
      const from = at - this.#filled;
      const copied = bytes.copy(this.#header, this.#filled, at);
      this.#filled += copied;
      at += copied;
      if (this.#filled < syncHeader.sizeBytes) return;
      this.#filled = 0;
      const { id, length } = syncHeader.read(this.#header);
      this.#record = this.#begin(id, length);
      onRecord(this.#record, length, from);
      complete();
    }
  }

  #begin(id: string, length: number): SyncRecord {
    if (this.#isInSend) {
      if (id === 'DONE') {
        this.#isInSend = false;
        return 'done';
      }
      if (id !== 'DATA' || length > MAX_SYNC_DATA_BYTES) throw malformed(id, length);
      this.#skip = length;
      return 'data';
    }
    const request = Object.hasOwn(REQUESTS, id) ? REQUESTS[id] : undefined;
    if (!request || length > MAX_SYNC_PATH_BYTES) throw malformed(id, length);
    const [kind, bytesBehindPath] = request;
    this.#skip = length + bytesBehindPath;
    this.#isInSend = kind === 'send';
    return kind;
  }
}

export class MalformedSync extends Error {
  override name = 'MalformedSync';
}

export function malformed(id: string, length: number): MalformedSync {
  return new MalformedSync(`sync record ${JSON.stringify(id)} of ${length} bytes`);
}
