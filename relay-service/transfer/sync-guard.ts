import { refusedReply, shortestRest } from './refused-reply.js';
import { NOTHING, type Sender, type StreamCut, type StreamGuard } from './stream-guard.js';
import { PendingRequests, SyncReplyParser } from './sync-replies.js';
import { MalformedSync, type SyncRecord, SyncRequestParser } from './sync-requests.js';
import type { TransferBudget } from './transfer-budget.js';

interface SyncGuardParts {
  budget: TransferBudget;
  cut: StreamCut;
  text: string;
  onCut: () => void;
}

/**
 * Counts the files in a sync stream, both ways, and cuts the one that would exceed the limit at a DATA record: replies that the phone
 * still owes to earlier requests are let through, then the client gets FAIL in the phone's place, and from there on the relay serves
 * the stream itself and refuses each transfer. The phone's side is closed in the middle of the file, which makes adbd discard it.
 *
 * Writes go through as they come until the limit is so near that one of them could reach it; those are gathered. Throws MalformedSync.
 */
export class SyncGuard implements StreamGuard {
  readonly #parts: SyncGuardParts;
  readonly #requests = new SyncRequestParser();
  readonly #pending = new PendingRequests();
  readonly #replies = new SyncReplyParser(this.#pending);
  /** Set at the cut: the relay's replies that wait for those of the phone. */
  #waiting: Buffer[] | undefined;
  #waitingBytes = 0;
  #ends = false;
  /** Whether the record at hand is not for the phone any more. */
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
    else this.#replies.push(bytes, { data: (length) => this.#parts.budget.use(length), replied: () => this.#shift() });
  }

  gathered(from: Sender, payload: Buffer): Buffer {
    if (from === 'phone') return this.#fromPhone(payload);
    const wasCut = this.#waiting !== undefined;
    this.receive(payload);
    if (!this.#waiting) return payload;
    return wasCut ? NOTHING : payload.subarray(0, Math.max(0, this.#cutAt));
  }

  passed(): void {
    if (!this.#waiting || this.#client || this.#pending.first !== undefined) return;
    this.#client = this.#parts.cut.takeOver(this.#waiting);
    if (this.#ends) this.#client.end();
  }

  receive(bytes: Buffer): void {
    this.#requests.push(
      bytes,
      (record, length, at) => this.#request(record, length, at),
      // A client may send a request in several writes, and expects the reply behind the last.
      (record) => this.#isRefusing && this.#refuse(record),
    );
  }

  #request(record: SyncRecord, length: number, at: number): void {
    this.#isRefusing = this.#waiting !== undefined;
    if (this.#isRefusing) return;
    if (record === 'data') {
      if (this.#parts.budget.use(length)) return;
      this.#begin(at);
      // This file is the newest request. When nothing is pending the phone has failed it already, and the client has its reply.
      if (this.#pending.first === undefined) return;
      this.#pending.pop();
      this.#refuse('send');
    } else if ((record === 'send' || record === 'receive') && this.#parts.budget.leftBytes <= 0) {
      this.#begin(at);
      this.#isRefusing = true;
    } else if (record !== 'done' && record !== 'quit') {
      this.#pending.push(record);
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

  #shift(): boolean {
    this.#pending.shift();
    return true;
  }

  #fromPhone(payload: Buffer): Buffer {
    let goesOn = payload;
    this.#replies.push(payload, {
      data: (length, at) => {
        if (this.#parts.budget.use(length)) return true;
        this.#cutPull(payload, at);
        goesOn = NOTHING;
        return false;
      },
      replied: (end) => {
        this.#shift();
        if (!this.#waiting || this.#pending.first !== undefined) return true;
        goesOn = payload.subarray(0, end);
        return false;
      },
    });
    return goesOn;
  }

  /** Refuses the pull whose DATA record begins at `at`, and what was requested behind it. */
  #cutPull(payload: Buffer, at: number): void {
    const behind = this.#waiting ?? [];
    if (!this.#waiting) this.#begin(0);
    this.#waiting = [at >= 0 ? payload.subarray(0, at) : shortestRest(this.#replies.header, -at)];
    for (let request = this.#pending.shift(); request; request = this.#pending.shift()) this.#refuse(request);
    this.#waiting.push(...behind);
  }
}

/** Replies of the relay's that may wait for those of the phone, bytes for each stream. */
const MAX_WAITING_BYTES = 256 * 1024;
