import { Command } from '../../phone/adb/packet.js';
import type { PacketOut } from './packet-out.js';

/** What the peers agreed on in their CNXNs. */
export interface Agreement {
  /** Largest payload of a packet, bytes. */
  maxPayloadBytes: number;
  /** Whether OKAYs carry byte counts and a sender may have several writes on the way. */
  delayedAck: boolean;
}

/** A stream that the relay itself serves, towards the client: logins, refusals, and what is left of a stream that was cut. */
export class RelayStream {
  readonly clientId: number;
  /** Our id. Those of streams we opened are from 2^31 up, where no adbd gets to by counting. */
  readonly ownId: number;
  readonly #client: PacketOut;
  readonly #agreement: Agreement;
  readonly #onData: (bytes: Buffer) => void;
  readonly #onEnd: (stream: RelayStream) => void;
  readonly #waiting: Buffer[] = [];
  #unanswered: number;
  #ends = false;
  #isOver = false;
  #wholeSent: (() => void) | undefined;

  constructor(parts: {
    clientId: number;
    ownId: number;
    client: PacketOut;
    agreement: Agreement;
    /** Writes to the client under these ids that it has not answered yet. */
    unanswered?: number;
    /** The client's data, in pieces. */
    onData?: (bytes: Buffer) => void;
    /** The stream is over, whoever ended it. */
    onEnd: (stream: RelayStream) => void;
  }) {
    this.clientId = parts.clientId;
    this.ownId = parts.ownId;
    this.#client = parts.client;
    this.#agreement = parts.agreement;
    this.#unanswered = parts.unanswered ?? 0;
    this.#onData = parts.onData ?? (() => undefined);
    this.#onEnd = parts.onEnd;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Takes the client's OPEN. */
  accept(): void {
    this.answer(this.#agreement.delayedAck ? OWN_WINDOW_BYTES : 0);
  }

  /** Tells the client that `bytes` of it have been read. */
  answer(bytes: number): void {
    if (this.#isOver) return;
    this.#client.packet(Command.OKAY, this.ownId, this.clientId, this.#agreement.delayedAck ? i32(bytes) : undefined);
  }

  receive(bytes: Buffer): void {
    if (!this.#isOver) this.#onData(bytes);
  }

  write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += this.#agreement.maxPayloadBytes) {
      this.#waiting.push(bytes.subarray(at, at + this.#agreement.maxPayloadBytes));
    }
    this.#send();
  }

  /** Closes the stream once everything has been sent. */
  end(): void {
    this.#ends = true;
    this.#send();
  }

  /** The client has read a write. */
  acknowledged(): void {
    if (this.#unanswered > 0) this.#unanswered--;
    this.#send();
    if (this.#unanswered === 0) this.#wholeSent?.();
  }

  /** The client closed the stream, or is gone. */
  closedByClient(): void {
    this.#wholeSent?.();
    this.#finish();
  }

  /** Resolves when the client has acknowledged everything, or is gone. */
  async whenRead(): Promise<void> {
    if (this.#waiting.length === 0 && this.#unanswered === 0) return;
    await new Promise<void>((resolve) => (this.#wholeSent = resolve));
  }

  #send(): void {
    if (this.#isOver) return;
    // Without delayed_ack a sender has one write on the way. With it, what the relay says is too little to fill any window.
    while (this.#waiting.length > 0 && (this.#unanswered === 0 || this.#agreement.delayedAck)) {
      this.#unanswered++;
      this.#client.packet(Command.WRTE, this.ownId, this.clientId, this.#waiting.shift());
    }
    if (!this.#ends || this.#waiting.length > 0) return;
    // Right behind the last write, as adbd does it: nothing is lost.
    this.#client.packet(Command.CLSE, this.ownId, this.clientId);
    this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(this);
  }
}

/** What a client may send us ahead where windows are in use: more than it needs to be told no. */
const OWN_WINDOW_BYTES = 1024 * 1024;

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
