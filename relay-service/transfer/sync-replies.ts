import { MAX_SYNC_DATA_BYTES, dentV1, dentV2, statV1, statV2, syncHeader } from '../../phone/adb/sync-messages.js';
import { MalformedSync } from './sync-requests.js';

/** A request that the phone has not answered to its end. */
export type AwaitedReply = 'stat' | 'stat2' | 'list' | 'list2' | 'send' | 'receive';

/** Requests in order, the same ones in a row as a count: a client may send ten thousand small files ahead of the answers. */
export class AwaitedReplies {
  readonly #runs: { kind: AwaitedReply; count: number }[] = [];

  get first(): AwaitedReply | undefined {
    return this.#runs[0]?.kind;
  }

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  push(kind: AwaitedReply): void {
    const last = this.#runs.at(-1);
    if (last?.kind === kind) last.count++;
    else if (this.#runs.length >= MAX_RUNS) throw new MalformedSync('too many requests ahead', MAX_RUNS);
    else this.#runs.push({ kind, count: 1 });
  }

  shift(): AwaitedReply | undefined {
    const first = this.#runs[0];
    if (first && --first.count === 0) this.#runs.shift();
    return first?.kind;
  }

  pop(): void {
    const last = this.#runs.at(-1);
    if (last && --last.count === 0) this.#runs.pop();
  }
}

const MAX_RUNS = 1_024;

export interface SyncReplyReader {
  /**
   * A DATA record of a pull begins; `at` is where in the bytes at hand (negative: before them). Answering false ends the parsing:
   * from `at` on nothing has been looked at.
   */
  data(bytes: number, at: number): boolean;
  /** The first awaited reply is complete; `end` is behind it. Answering false ends the parsing there. */
  answered(end: number): boolean;
}

const LONGEST_HEADER_BYTES = dentV2.sizeBytes;

/** Follows the phone's side of a sync stream; `awaited` tells which request each answer is for. */
export class SyncReplyParser {
  readonly #awaited: AwaitedReplies;
  readonly #header = Buffer.alloc(LONGEST_HEADER_BYTES);
  #filled = 0;
  #skip = 0;
  /** Whether the record at hand is the last of its reply. */
  #endsReply = false;

  constructor(awaited: AwaitedReplies) {
    this.#awaited = awaited;
  }

  /** The header of the DATA record that `data` answered false to. */
  get header(): Buffer {
    return this.#header.subarray(0, syncHeader.sizeBytes);
  }

  push(bytes: Buffer, reader: SyncReplyReader): void {
    let at = 0;
    let begins = 0;
    for (;;) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, bytes.length - at);
        this.#skip -= skipped;
        at += skipped;
        if (this.#skip > 0) return;
      }
      if (this.#endsReply) {
        this.#endsReply = false;
        if (!reader.answered(at)) return;
      }
      if (at >= bytes.length) return;
      if (this.#filled === 0) begins = at;
      else if (at === 0) begins = -this.#filled;
      const wanted = this.#wanted();
      const taken = bytes.copy(this.#header, this.#filled, at, at + wanted - this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled < wanted) return;
      if (this.#wanted() > wanted) continue;
      this.#filled = 0;
      if (!this.#begin(begins, reader)) return;
    }
  }

  /** Bytes that are needed to know the record, as far as one can tell from those that are there. */
  #wanted(): number {
    if (this.#filled < syncHeader.sizeBytes) return syncHeader.sizeBytes;
    const { id } = syncHeader.read(this.#header);
    if (id === 'FAIL') return syncHeader.sizeBytes;
    switch (this.#awaited.first) {
      case 'list':
        return dentV1.sizeBytes;
      case 'list2':
        return dentV2.sizeBytes;
      default:
        return syncHeader.sizeBytes;
    }
  }

  #begin(at: number, reader: SyncReplyReader): boolean {
    const { id, length } = syncHeader.read(this.#header);
    const kind = this.#awaited.first;
    const ends = (skip: number): boolean => {
      this.#skip = skip;
      this.#endsReply = true;
      return true;
    };
    if (kind === undefined || (id === 'FAIL' && length > MAX_SYNC_DATA_BYTES)) throw new MalformedSync(id, length);
    if (id === 'FAIL') return ends(length);
    switch (`${kind} ${id}`) {
      case 'stat STAT':
        return ends(statV1.sizeBytes - syncHeader.sizeBytes);
      case 'stat2 STA2':
      case 'stat2 LST2':
        return ends(statV2.sizeBytes - syncHeader.sizeBytes);
      case 'list DENT':
        this.#skip = dentV1.read(this.#header).nameLength;
        return true;
      case 'list2 DNT2':
        this.#skip = dentV2.read(this.#header).nameLength;
        return true;
      case 'list DONE':
      case 'list2 DONE':
      case 'receive DONE':
        return ends(0);
      case 'send OKAY':
        return ends(length);
      case 'receive DATA':
        if (length > MAX_SYNC_DATA_BYTES) throw new MalformedSync(id, length);
        if (!reader.data(length, at)) return false;
        this.#skip = length;
        return true;
      default:
        throw new MalformedSync(id, length);
    }
  }
}
