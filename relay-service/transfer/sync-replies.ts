import { MAX_SYNC_DATA_BYTES, dentV1, dentV2, statV1, statV2, syncHeader } from '../../phone/adb/sync-messages.js';
import { malformed, MalformedSync, type SyncRequest } from './sync-requests.js';

/** The requests that the phone has not replied to completely, oldest first. Equal ones in a row are kept as a count. */
export class PendingRequests {
  readonly #runs: { request: SyncRequest; count: number }[] = [];

  get first(): SyncRequest | undefined {
    return this.#runs[0]?.request;
  }

  push(request: SyncRequest): void {
    const last = this.#runs.at(-1);
    if (last?.request === request) last.count++;
    else if (this.#runs.length >= MAX_RUNS) throw new MalformedSync(`more than ${MAX_RUNS} kinds of requests ahead`);
    else this.#runs.push({ request, count: 1 });
  }

  shift(): SyncRequest | undefined {
    const first = this.#runs[0];
    if (first && --first.count === 0) this.#runs.shift();
    return first?.request;
  }

  pop(): void {
    const last = this.#runs.at(-1);
    if (last && --last.count === 0) this.#runs.pop();
  }
}

const MAX_RUNS = 1_024;

export interface SyncReplyReader {
  /** A DATA record begins at `at` (negative: before these bytes). Returning false ends the parsing: nothing from `at` on was read. */
  data(length: number, at: number): boolean;
  /** The reply to the first pending request is complete; `end` is behind it. Returning false ends the parsing there. */
  replied(end: number): boolean;
}

/** Follows the phone's side of a sync stream. Throws MalformedSync. */
export class SyncReplyParser {
  readonly #pending: PendingRequests;
  readonly #header = Buffer.alloc(dentV2.sizeBytes);
  #filled = 0;
  #skip = 0;
  /** Whether the record at hand is the last of its reply. */
  #endsReply = false;

  constructor(pending: PendingRequests) {
    this.#pending = pending;
  }

  /** The header of the DATA record for which `data` returned false. */
  get header(): Buffer {
    return this.#header.subarray(0, syncHeader.sizeBytes);
  }

  push(bytes: Buffer, reader: SyncReplyReader): void {
    let at = 0;
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length - at);
      this.#skip -= skipped;
      at += skipped;
      if (this.#skip > 0) return;
      if (this.#endsReply) {
        this.#endsReply = false;
        if (!reader.replied(at)) return;
      }
      if (at >= bytes.length) return;
      const from = at - this.#filled;
      for (let size = this.#headerBytes(); this.#filled < size; size = this.#headerBytes()) {
        const copied = bytes.copy(this.#header, this.#filled, at, at + size - this.#filled);
        if (copied === 0) return;
        this.#filled += copied;
        at += copied;
      }
      this.#filled = 0;
      if (!this.#begin(from, reader)) return;
    }
  }

  /** Bytes of the record's header, as far as that can be known from those that are there. */
  #headerBytes(): number {
    if (this.#filled < syncHeader.sizeBytes || syncHeader.read(this.#header).id === 'FAIL') return syncHeader.sizeBytes;
    if (this.#pending.first === 'list') return dentV1.sizeBytes;
    return this.#pending.first === 'list2' ? dentV2.sizeBytes : syncHeader.sizeBytes;
  }

  #begin(at: number, reader: SyncReplyReader): boolean {
    const { id, length } = syncHeader.read(this.#header);
    const request = this.#pending.first;
    const body = (bytes: number, endsReply: boolean): true => {
      this.#skip = bytes;
      this.#endsReply = endsReply;
      return true;
    };
    if ((id === 'FAIL' || id === 'DATA') && length > MAX_SYNC_DATA_BYTES) throw malformed(id, length);
    if (id === 'FAIL' && request !== undefined) return body(length, true);
    switch (`${request ?? 'no request'} ${id}`) {
      case 'stat STAT':
        return body(statV1.sizeBytes - syncHeader.sizeBytes, true);
      case 'stat2 STA2':
      case 'lstat2 LST2':
        return body(statV2.sizeBytes - syncHeader.sizeBytes, true);
      case 'list DENT':
        return body(dentV1.read(this.#header).nameLength, false);
      case 'list2 DNT2':
        return body(dentV2.read(this.#header).nameLength, false);
      case 'list DONE':
      case 'list2 DONE':
      case 'receive DONE':
        return body(0, true);
      case 'send OKAY':
        return body(length, true);
      case 'receive DATA':
        return reader.data(length, at) && body(length, false);
      default:
        throw malformed(id, length);
    }
  }
}
