import { refusedReply } from './refused-reply.js';
import { NOTHING, type Sender, type StreamCut, type StreamGuard } from './stream-guard.js';
import { SyncReplyParser } from './sync-replies.js';
import { MalformedSync, type SyncRecord, SyncRequestParser } from './sync-requests.js';
import type { TransferBudget } from './transfer-budget.js';

interface SyncGuardParts {
  budget: TransferBudget;
  cut: StreamCut;
  text: string;
  onCut: () => void;
}

/**
 * Counts the pushed and pulled files in a sync stream, and cuts the file that would exceed the limit at a DATA record. Replies that the
 * phone still owes for earlier files are let through, then the client gets FAIL in the phone's place. From there on the relay serves the
 * stream itself and refuses each transfer. The phone's side is closed in the middle of the file, which makes adbd discard it.
 *
 * Writes go through as they come until one of them could reach the limit. From then on, writes are gathered. Throws MalformedSync.
 */
export class SyncGuard implements StreamGuard {
  readonly #parts: SyncGuardParts;
  readonly #requests = new SyncRequestParser();
  readonly #replies = new SyncReplyParser();
  /** Set at the cut: the relay's replies that wait for those of the phone. */
  #waiting: Buffer[] | undefined;
  #waitingBytes = 0;
  #ends = false;
  /** Whether the record that is being read comes after the cut, so that the relay refuses it and the phone does not get it. */
  #isRefusing = false;
  /** Where the client's bytes were cut. */
  #cutAt = 0;
  /** Set when the phone's side is closed. */
  #client: ReturnType<StreamCut['takeOver']> | undefined;

  constructor(parts: SyncGuardParts) {
    this.#parts = parts;
  }

  route(): 'watch' | 'gather' {
    return this.#waiting || this.#parts.budget.isNearlyUsed ? 'gather' : 'watch';
  }

  watched(from: Sender, bytes: Buffer): void {
    if (from === 'client') this.receive(bytes);
    else this.#replies.push(bytes, { data: (length) => this.#parts.budget.use(length), replied: () => true });
  }

  gathered(from: Sender, payload: Buffer): Buffer {
    if (from === 'phone') return this.#fromPhone(payload);
    const wasCut = this.#waiting !== undefined;
    this.receive(payload);
    if (!this.#waiting) return payload;
    return wasCut ? NOTHING : payload.subarray(0, Math.max(0, this.#cutAt));
  }

  passed(): void {
    if (!this.#waiting || this.#client || this.#replies.pending > 0) return;
    this.#client = this.#parts.cut.takeOver(this.#waiting);
    if (this.#ends) this.#client.end();
  }

  receive(bytes: Buffer): void {
    this.#requests.push(
      bytes,
      (record, length, at) => this.#request(record, length, at),
      // A client may send a request in several writes, and expects the reply after the last of them.
      (record) => this.#isRefusing && this.#refuse(record),
    );
  }

  #request(record: SyncRecord, length: number, at: number): void {
    this.#isRefusing = this.#waiting !== undefined;
    if (this.#isRefusing) return;
    if (record === 'data') {
      if (this.#parts.budget.use(length)) return;
      this.#begin(at);
      // This file is the newest request. When no reply is pending, the phone has failed the file already, and the client knows.
      if (this.#replies.pending === 0) return;
      this.#replies.pending--;
      this.#refuse('send');
    } else if (record === 'send' || record === 'receive') {
      if (this.#parts.budget.leftBytes > 0) {
        this.#replies.pending++;
      } else {
        this.#begin(at);
        this.#isRefusing = true;
      }
    }
  }

  #begin(at: number): void {
    this.#cutAt = at;
    this.#waiting = [];
    this.#parts.onCut();
  }

  #refuse(record: SyncRecord): void {
    const { bytes, ends } = refusedReply(record, this.#parts.text);
    if (this.#client) {
      if (bytes) this.#client.write(bytes);
      if (ends === true) this.#client.end();
      return;
    }
    if (bytes) this.#wait(bytes);
    if (ends === true) this.#ends = true;
  }

  #wait(bytes: Buffer): void {
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) throw new MalformedSync('too many requests ahead of their replies');
    this.#waiting?.push(bytes);
  }

  #fromPhone(payload: Buffer): Buffer {
    let end = payload.length;
    this.#replies.push(payload, {
      data: (length, at) => {
        if (this.#parts.budget.use(length)) return true;
        end = Math.max(0, at);
        this.#cutPull(at < 0);
        return false;
      },
      replied: (at) => {
        if (!this.#waiting || this.#replies.pending > 0) return true;
        end = at;
        return false;
      },
    });
    return payload.subarray(0, end);
  }

  /**
   * Refuses the pull that is cut and the transfers that were requested after it. When the client has received half a header, no reply can
   * follow it, so the stream is only closed.
   */
  #cutPull(isInHeader: boolean): void {
    const behind = this.#waiting ?? [];
    if (!this.#waiting) this.#begin(0);
    this.#waiting = [];
    for (; this.#replies.pending > 0; this.#replies.pending--) this.#refuse('receive');
    this.#waiting.push(...behind);
    if (!isInHeader) return;
    this.#waiting = [];
    this.#ends = true;
  }
}

/** Most bytes of the relay's own replies that wait for the phone's replies, for each stream. */
const MAX_WAITING_BYTES = 256 * 1024;
