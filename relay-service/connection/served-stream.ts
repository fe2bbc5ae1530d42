import { Command, type PacketHeader } from '../../phone/adb/packet.js';
import { MalformedSync } from '../transfer/sync-requests.js';
import { type Agreement, okayPayload } from './agreement.js';
import { DROP, type Handling, type Stream } from './handling.js';
import type { PacketOut } from './packet-out.js';

/** Bytes of replies that may still be queued, for all streams of a connection that the relay serves. */
export interface ReplyQuota {
  leftBytes: number;
}

interface ServedStreamParts {
  clientId: number;
  /** The relay's id. Those of streams that it accepts itself are from 2^31 up, which no adbd reaches by counting. */
  ownId: number;
  client: PacketOut;
  agreement: Agreement;
  quota: ReplyQuota;
  /** Writes to the client under these ids that it has not acknowledged. */
  unackedWrites?: number;
  /** The client's data, in pieces. */
  onData: ((bytes: Buffer) => void) | undefined;
  /** The stream is over, whichever side ended it. */
  onEnd: (stream: ServedStream) => void;
}

/**
 * A stream that the relay itself serves to the client: logins, refusals, and the rest of a stream that was cut.
 *
 * A client that does not acknowledge the relay's writes gets no acknowledgement of its own while much is queued, and loses the stream
 * when it continues nevertheless.
 */
export class ServedStream implements Stream {
  readonly clientId: number;
  readonly runs = false;
  readonly #parts: ServedStreamParts;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** Writes that the client has not acknowledged. */
  #unackedWrites: number;
  /** Bytes of the client's that the relay has not acknowledged; undefined: none. */
  #owedAck: number | undefined;
  #isReceiving = false;
  #ends = false;
  #isOver = false;
  #onRead: (() => void) | undefined;

  constructor(parts: ServedStreamParts) {
    this.clientId = parts.clientId;
    this.#parts = parts;
    this.#unackedWrites = parts.unackedWrites ?? 0;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Accepts the client's OPEN. */
  accept(): void {
    this.acknowledge(OWN_WINDOW_BYTES);
  }

  /** Acknowledges `bytes` of the client's. */
  acknowledge(bytes: number): void {
    if (this.#isOver) return;
    this.#parts.client.packet(
      Command.OKAY,
      this.#parts.ownId,
      this.clientId,
      okayPayload(this.#parts.agreement, bytes),
    );
  }

  fromClient({ command, arg1, length }: PacketHeader): Handling {
    if (command === Command.CLSE) this.close();
    if (arg1 !== this.#parts.ownId) return DROP;
    if (command === Command.OKAY) this.#acknowledged();
    if (command !== Command.WRTE) return DROP;
    return { route: 'take', piece: (bytes) => this.#receive(bytes), end: () => this.#received(length) };
  }

  fromPhone(): Handling {
    return DROP;
  }

  write(bytes: Buffer): void {
    if (this.#isOver || this.#ends) return;
    const cost = bytes.length + QUEUED_COST_BYTES;
    if (cost > this.#parts.quota.leftBytes) {
      this.close();
      return;
    }
    this.#parts.quota.leftBytes -= cost;
    this.#queuedBytes += cost;
    this.#queue.push(bytes);
    this.#send();
  }

  /** Closes the stream once everything has been sent. */
  end(): void {
    this.#ends = true;
    this.#send();
  }

  /** The connection is gone. */
  abandon(): void {
    this.#finish();
  }

  /** Resolves when the client has acknowledged everything, or is gone. */
  async whenRead(): Promise<void> {
    if (this.#isOver || (this.#queue.length === 0 && this.#unackedWrites === 0)) return;
    await new Promise<void>((resolve) => (this.#onRead = resolve));
  }

  /** A piece of a write of the client's. Its effects are sent behind the write's acknowledgement, as adbd does it. */
  #receive(bytes: Buffer): void {
    this.#isReceiving = true;
    if (this.#isOver || this.#ends) return;
    try {
      this.#parts.onData?.(bytes);
    } catch (error) {
      if (!(error instanceof MalformedSync)) throw error;
      this.end();
    }
  }

  /** A write of `bytes` is complete. */
  #received(bytes: number): void {
    this.#isReceiving = false;
    this.#owedAck = (this.#owedAck ?? 0) + bytes;
    this.#payAck();
    this.#send();
  }

  /** The client has acknowledged a write. */
  #acknowledged(): void {
    if (this.#unackedWrites > 0) this.#unackedWrites--;
    this.#send();
    this.#payAck();
    if (this.#unackedWrites === 0) this.#onRead?.();
  }

  #payAck(): void {
    if (this.#owedAck === undefined || this.#queuedBytes > MUCH_QUEUED_BYTES) return;
    const bytes = this.#owedAck;
    this.#owedAck = undefined;
    this.acknowledge(bytes);
  }

  #send(): void {
    if (this.#isOver || this.#isReceiving) return;
    // Without delayed_ack a sender has one write unacknowledged. With it, a client's window is larger than the quota.
    while (this.#queue.length > 0 && (this.#unackedWrites === 0 || this.#parts.agreement.delayedAck)) {
      this.#unackedWrites++;
      this.#parts.client.packet(Command.WRTE, this.#parts.ownId, this.clientId, this.#take());
    }
    // Directly behind the last write, as adbd does it: nothing is lost.
    if (this.#ends && this.#queue.length === 0) this.close();
  }

  /** As much of the queue as fits into a packet. */
  #take(): Buffer {
    const all = Buffer.concat(this.#queue);
    const rest = all.subarray(this.#parts.agreement.maxPayloadBytes);
    this.#parts.quota.leftBytes += this.#queuedBytes;
    this.#queue = rest.length > 0 ? [rest] : [];
    this.#queuedBytes = rest.length;
    this.#parts.quota.leftBytes -= rest.length;
    return all.subarray(0, this.#parts.agreement.maxPayloadBytes);
  }

  /** Closes the stream at once; queued data is not sent. */
  close(): void {
    if (this.#isOver) return;
    this.#parts.client.packet(Command.CLSE, this.#parts.ownId, this.clientId);
    this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.quota.leftBytes += this.#queuedBytes;
    this.#queue = [];
    this.#onRead?.();
    this.#parts.onEnd(this);
  }
}

/** Bytes that a client may send ahead where windows are in use: enough for a request that is refused. */
const OWN_WINDOW_BYTES = 1024 * 1024;
/** Queued replies from which on the client's writes are not acknowledged. */
const MUCH_QUEUED_BYTES = 64 * 1024;
/** Memory of a queued buffer beside its bytes. */
const QUEUED_COST_BYTES = 100;
