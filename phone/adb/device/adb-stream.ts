import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { WakeSignal } from '../../../kit/async/wake-signal.js';
import { Command } from '../packet.js';
import { MalformedPacket } from '../packet-parser.js';
import type { Allowance, Bytes } from './allowance.js';
import { BrokenPipe } from './broken-pipe.js';

/**
 * One stream of a connection. Each side has at most one write on the way: ours waits for its OKAY, the peer's is acknowledged
 * when the reader takes it. That is the backpressure from a slow disk or a slow client to the other end.
 *
 * Real peers break this rule: an adb server whose client has hung up (`exec-in`) sends the rest of the input without waiting, then
 * CLSE. So writes that come ahead of their turn are kept, within `ahead`.
 */
export class AdbStream {
  readonly id: number;
  readonly peerId: number;
  readonly maxPayloadBytes: number;
  readonly #parts: AdbStreamParts;
  readonly #closed = new AbortController();
  /** Payloads that the reader has not taken yet; all but the first came ahead of their turn. */
  readonly #received: Buffer[] = [];
  readonly #news = new WakeSignal();
  #acknowledge: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** Calls of `writeParts` whose last packet has not been sent. */
  #unsent = 0;
  #onAllSent: (() => void) | undefined;

  constructor(parts: AdbStreamParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.peerId = parts.peerId;
    this.maxPayloadBytes = parts.maxPayloadBytes;
  }

  /** Aborts when the stream has ended, by either side. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** The peer's next write; undefined when it closed the stream. Data received before is still handed out. */
  async read(): Promise<Buffer | undefined> {
    while (this.#received.length === 0 && !this.closed.aborted) await this.#news.wait();
    const received = this.#received.shift();
    this.#parts.memory?.free(received?.length ?? 0);
    this.#parts.ahead.free(this.#received[0]?.length ?? 0);
    if (received && !this.closed.aborted && !this.#parts.faults.hang) this.#parts.send(Command.OKAY);
    return received;
  }

  /** Writes the bytes in as few packets as possible, in the order of the calls. Throws BrokenPipe when the stream is over. */
  write(bytes: string | Uint8Array): Promise<void> {
    return this.writeParts([
      typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    ]);
  }

  /** Writes several buffers as if they were one. */
  writeParts(parts: readonly Buffer[]): Promise<void> {
    this.#unsent++;
    // Calls wait for each other, as two commands may write to one stream at the same time (stdout and stderr).
    const next = begunAhead(this.#writing.then(() => this.#writeNow(parts)));
    this.#writing = next.catch(() => undefined);
    return next;
  }

  /**
   * Ends the stream as soon as everything written to it has been sent. Like adbd, it does not wait for the last OKAY, which Rust's
   * adb_client never sends.
   */
  async finish(): Promise<void> {
    if (this.#unsent > 0 && !this.closed.aborted) await new Promise<void>((resolve) => (this.#onAllSent = resolve));
    this.close();
  }

  /** Ends the stream; safe to call again. Reads return received data, writes fail. */
  close(): void {
    if (this.closed.aborted) return;
    if (!this.#parts.faults.hang) this.#parts.send(Command.CLSE);
    this.#end();
  }

  /** Frees received data that was not read: there is no reader any more. */
  discard(): void {
    for (const [at, payload] of this.#received.splice(0).entries()) {
      this.#parts.memory?.free(payload.length);
      if (at > 0) this.#parts.ahead.free(payload.length);
    }
  }

  /** Called for a WRTE. */
  receive(payload: Buffer): void {
    if (payload.length === 0) {
      this.#parts.send(Command.OKAY);
      return;
    }
    const isAhead = this.#received.length > 0;
    if (isAhead && !this.#parts.ahead.take(payload.length)) throw new MalformedPacket('WRTEs that wait for no OKAY');
    if (this.#parts.memory?.take(payload.length) === false) {
      if (isAhead) this.#parts.ahead.free(payload.length);
      this.close();
      return;
    }
    this.#received.push(payload);
    this.#news.wake();
  }

  /** Called for an OKAY. */
  acknowledged(): void {
    const resolve = this.#acknowledge;
    this.#acknowledge = undefined;
    resolve?.();
  }

  /** Called for a CLSE, and when the connection is gone. */
  closedByPeer(): void {
    if (this.closed.aborted) return;
    this.#parts.send(Command.CLSE);
    this.#end();
  }

  #end(): void {
    this.#closed.abort();
    this.#onAllSent?.();
    this.acknowledged();
    this.#news.wake();
    this.#parts.onClosed();
  }

  async #writeNow(parts: readonly Buffer[]): Promise<void> {
    const payloads = [...packed(parts, this.maxPayloadBytes)];
    if (payloads.length === 0) this.#sentAll();
    for (const [at, payload] of payloads.entries()) {
      if (this.closed.aborted) throw new BrokenPipe('the stream is over');
      const bytes = payload.reduce((sum, part) => sum + part.length, 0);
      if (this.#parts.memory?.take(bytes) === false) {
        this.close();
        throw new BrokenPipe('no memory for the stream');
      }
      const acknowledged = new Promise<void>((resolve) => (this.#acknowledge = resolve));
      if (!this.#parts.faults.hang) this.#parts.send(Command.WRTE, payload);
      if (at === payloads.length - 1) this.#sentAll();
      await acknowledged;
      this.#parts.memory?.free(bytes);
    }
  }

  /** One call of `writeParts` has sent its last packet. */
  #sentAll(): void {
    this.#unsent--;
    if (this.#unsent === 0) this.#onAllSent?.();
  }
}

export interface AdbStreamParts {
  id: number;
  peerId: number;
  maxPayloadBytes: number;
  send: (command: number, payload?: readonly Buffer[]) => void;
  onClosed: () => void;
  /** `hang`: nothing is sent any more. */
  faults: { readonly hang: boolean };
  /** Bytes that the streams of a connection may receive ahead of their turn, together. */
  ahead: Allowance;
  /** Pays for the payloads that the stream holds. Absent: not counted. */
  memory?: Bytes | undefined;
}

/** Cuts and joins buffers to payloads of at most `maxBytes`, without copying. */
function* packed(parts: readonly Buffer[], maxBytes: number): Generator<Buffer[]> {
  let payload: Buffer[] = [];
  let bytes = 0;
  for (let part of parts) {
    while (part.length > 0) {
      const piece = part.subarray(0, maxBytes - bytes);
      payload.push(piece);
      bytes += piece.length;
      part = part.subarray(piece.length);
      if (bytes === maxBytes) {
        yield payload;
        payload = [];
        bytes = 0;
      }
    }
  }
  if (bytes > 0) yield payload;
}
