import { WakeSignal } from '../../kit/async/wake-signal.js';
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
  /** The relay's id. Streams that the relay accepts itself have ids from 2^31 up, which no adbd reaches by counting. */
  ownId: number;
  client: PacketOut;
  agreement: Agreement;
  quota: ReplyQuota;
  /** The number of writes to the client with these ids that the client has not acknowledged. */
  unackedWrites?: number;
  /** The client's data, in pieces. */
  onData: ((bytes: Buffer) => void) | undefined;
  /** Called when the stream is over, whichever side ended it. */
  onEnd: (stream: ServedStream) => void;
}

/**
 * A stream that the relay itself serves to the client: logins, refusals, and the rest of a stream that was cut.
 *
 * While many replies are queued, the relay does not acknowledge the client's writes. A client that goes on without acknowledging the
 * relay's writes loses the stream.
 */
export class ServedStream implements Stream {
  readonly clientId: number;
  readonly runs = false;
  readonly #parts: ServedStreamParts;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** The number of writes that the client has not acknowledged. */
  #unackedWrites: number;
  /** The number of the client's bytes that the relay has not acknowledged. Undefined: none. */
  #owedAck: number | undefined;
  #isReceiving = false;
  #ends = false;
  #isOver = false;
  readonly #read = new WakeSignal();

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

  /** Acknowledges `bytes` bytes of the client. */
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

  /** Ends the stream without a packet, because the connection is gone. */
  abandon(): void {
    this.#finish();
  }

  /** Resolves when the client has acknowledged everything, or is gone. */
  async whenRead(): Promise<void> {
    while (!this.#isOver && (this.#queue.length > 0 || this.#unackedWrites > 0)) await this.#read.wait();
  }

  /** Takes a piece of a write of the client. Effects of the piece are sent after the write's acknowledgement, as adbd does. */
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

  /** Called when a write of `bytes` bytes is complete. */
  #received(bytes: number): void {
    this.#isReceiving = false;
    this.#owedAck = (this.#owedAck ?? 0) + bytes;
    this.#payAck();
    this.#send();
  }

  /** Called when the client has acknowledged a write. */
  #acknowledged(): void {
    if (this.#unackedWrites > 0) this.#unackedWrites--;
    this.#send();
    this.#payAck();
    if (this.#unackedWrites === 0) this.#read.wake();
  }

  #payAck(): void {
    if (this.#owedAck === undefined || this.#queuedBytes > MUCH_QUEUED_BYTES) return;
    const bytes = this.#owedAck;
    this.#owedAck = undefined;
    this.acknowledge(bytes);
  }

  #send(): void {
    if (this.#isOver || this.#isReceiving) return;
    // Without delayed_ack, only one write may be unacknowledged. With it, a client's window is larger than the quota, so the window need
    // not be checked.
    while (this.#queue.length > 0 && (this.#unackedWrites === 0 || this.#parts.agreement.delayedAck)) {
      this.#unackedWrites++;
      this.#parts.client.packet(Command.WRTE, this.#parts.ownId, this.clientId, this.#take());
    }
    // The close follows the last write directly, as in adbd. The client still gets all data.
    if (this.#ends && this.#queue.length === 0) this.close();
  }

  /** Takes as much of the queue as fits into a packet. */
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
    this.#read.wake();
    this.#parts.onEnd(this);
  }
}

/** Bytes that a client may send ahead where windows are in use: enough for a request that is refused. */
const OWN_WINDOW_BYTES = 1024 * 1024;
/** The size of queued replies above which the client's writes are not acknowledged. */
const MUCH_QUEUED_BYTES = 64 * 1024;
/** Memory of a queued buffer beside its bytes. */
const QUEUED_COST_BYTES = 100;
