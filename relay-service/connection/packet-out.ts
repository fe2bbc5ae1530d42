import { encodeHeader } from '../../phone/adb/packet.js';
import type { PeerStream } from './peer-stream.js';

/**
 * Sends packets to one side of a connection. Forwarded packets are written in pieces. A packet of the relay's own waits until the forwarded
 * packet that has begun is complete.
 */
export class PacketOut {
  readonly #socket: PeerStream;
  /** Whether the peers verify checksums; known after the handshake. */
  checksum = true;
  #sentBytes = 0;
  #inPacket = false;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(socket: PeerStream) {
    this.#socket = socket;
  }

  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Bytes that the socket has not taken yet. */
  get waitingBytes(): number {
    return this.#socket.writableLength + this.#heldBytes;
  }

  /** Sends a packet of the relay's own. */
  packet(command: number, arg0: number, arg1: number, payload?: Buffer): void {
    const header = encodeHeader({ command, arg0, arg1 }, payload, this.checksum);
    // A small packet is one write, as two writes would be two segments on the network.
    const isSmall = payload !== undefined && payload.length <= SMALL_BYTES;
    const parts = payload === undefined ? [header] : isSmall ? [Buffer.concat([header, payload])] : [header, payload];
    for (const part of parts) {
      if (this.#inPacket) {
        this.#held.push(part);
        this.#heldBytes += part.length;
      } else {
        this.#write(part);
      }
    }
  }

  /** Sends bytes of forwarded packets as they came. */
  bytes(bytes: Buffer, endsPacket: boolean): void {
    this.#write(bytes);
    this.#inPacket = !endsPacket;
    if (!endsPacket || this.#held.length === 0) return;
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const part of held) this.#write(part);
  }

  #write(bytes: Buffer): void {
    if (this.#socket.writableEnded || this.#socket.destroyed) return;
    this.#sentBytes += bytes.length;
    this.#socket.write(bytes);
  }
}

/** Copying this much costs less than another system call. */
const SMALL_BYTES = 16 * 1024;
