import { MAX_SYNC_DATA_BYTES, syncHeader } from '../../phone/adb/sync-messages.js';
import { malformed } from './sync-requests.js';

export interface SyncReplyReader {
  /** Called for a DATA record that begins at `at` (negative: before these bytes). Returning false ends the parsing. */
  data(length: number, at: number): boolean;
  /** Called when the reply to a transfer is complete; `end` is the place after it. Returning false ends the parsing there. */
  replied(end: number): boolean;
}

/**
 * Follows the phone's replies to pushes and pulls. Replies to other requests are not parsed: no client requests a transfer before it has
 * read them. A client that does so loses the stream. Throws MalformedSync.
 */
export class SyncReplyParser {
  /** Transfers that the phone has not replied to completely. */
  pending = 0;
  readonly #header = Buffer.alloc(syncHeader.sizeBytes);
  #filled = 0;
  #bodyBytes = 0;
  /** Whether the record at hand is the last of its reply. */
  #endsReply = false;

  push(bytes: Buffer, reader: SyncReplyReader): void {
    let at = 0;
    while (this.pending > 0 && at < bytes.length) {
      if (this.#bodyBytes > 0) {
        const skipped = Math.min(this.#bodyBytes, bytes.length - at);
        this.#bodyBytes -= skipped;
        at += skipped;
      } else {
        const copied = bytes.copy(this.#header, this.#filled, at);
        this.#filled += copied;
        at += copied;
        if (this.#filled < syncHeader.sizeBytes) return;
        this.#filled = 0;
        if (!this.#begin(at - syncHeader.sizeBytes, reader)) return;
      }
      if (!this.#endsReply || this.#bodyBytes > 0) continue;
      this.#endsReply = false;
      this.pending--;
      if (!reader.replied(at)) return;
    }
  }

  #begin(at: number, reader: SyncReplyReader): boolean {
    const { id, length } = syncHeader.read(this.#header);
    if (length > MAX_SYNC_DATA_BYTES) throw malformed(id, length);
    if (id === 'DATA') {
      this.#bodyBytes = length;
      return reader.data(length, at);
    }
    if (id !== 'OKAY' && id !== 'DONE' && id !== 'FAIL') throw malformed(id, length);
    this.#bodyBytes = id === 'FAIL' ? length : 0;
    this.#endsReply = true;
    return true;
  }
}
