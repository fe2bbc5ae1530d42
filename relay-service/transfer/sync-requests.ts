import {
  MAX_SYNC_DATA_BYTES,
  MAX_SYNC_PATH_BYTES,
  receiveV2,
  sendV2,
  syncHeader,
} from '../../phone/adb/sync-messages.js';

/** What a client asks for in a sync stream, in order. `at` is where its record begins in the bytes at hand; negative: before them. */
export interface SyncRequestReader {
  /** STAT, STA2 or LST2: answered by a record of that name. */
  stat: (id: string, at: number) => void;
  /** LIST or LIS2. */
  list: (id: string, at: number) => void;
  /** SEND or SND2: `data` follows, any number of times, then `done`. */
  send: (at: number) => void;
  data: (bytes: number, at: number) => void;
  done: (at: number) => void;
  /** RECV or RCV2. */
  receive: (at: number) => void;
  quit: (at: number) => void;
}

/**
 * Follows the client's side of a sync stream by its records, without holding their bodies. Throws MalformedSync at what no client
 * of this protocol sends: from there on nobody knows where the next record begins.
 */
export class SyncRequestParser {
  readonly #header = Buffer.alloc(syncHeader.sizeBytes);
  #filled = 0;
  #skip = 0;
  #inSend = false;

  push(bytes: Buffer, reader: SyncRequestReader): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, bytes.length - at);
        this.#skip -= skipped;
        at += skipped;
        continue;
      }
      const from = at - this.#filled;
      const taken = bytes.copy(this.#header, this.#filled, at, at + syncHeader.sizeBytes - this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled < syncHeader.sizeBytes) return;
      this.#filled = 0;
      this.#begin(from, reader);
    }
  }

  #begin(at: number, reader: SyncRequestReader): void {
    const { id, length } = syncHeader.read(this.#header);
    if (this.#inSend) {
      if (id === 'DONE') {
        this.#inSend = false;
        reader.done(at);
        return;
      }
      if (id !== 'DATA' || length > MAX_SYNC_DATA_BYTES) throw new MalformedSync(id, length);
      this.#skip = length;
      reader.data(length, at);
      return;
    }
    if (length > MAX_SYNC_PATH_BYTES) throw new MalformedSync(id, length);
    this.#skip = length;
    switch (id) {
      case 'STAT':
      case 'STA2':
      case 'LST2':
        reader.stat(id, at);
        return;
      case 'LIST':
      case 'LIS2':
        reader.list(id, at);
        return;
      case 'SEND':
      case 'SND2':
        this.#inSend = true;
        if (id === 'SND2') this.#skip += sendV2.sizeBytes;
        reader.send(at);
        return;
      case 'RECV':
      case 'RCV2':
        if (id === 'RCV2') this.#skip += receiveV2.sizeBytes;
        reader.receive(at);
        return;
      case 'QUIT':
        reader.quit(at);
        return;
      default:
        throw new MalformedSync(id, length);
    }
  }
}

export class MalformedSync extends Error {
  override name = 'MalformedSync';

  constructor(id: string, length: number) {
    super(`sync record ${JSON.stringify(id)} of ${length} bytes`);
  }
}
