import type { Socket } from 'node:net';
import { encodeHeader } from '../../phone/adb/packet.js';

/**
 * One side of a connection, to send to. Forwarded packets go out in pieces; the relay's own wait until the packet at hand is
 * whole.
 */
export class PacketOut {
  readonly #socket: Socket;
  /** Whether the peers still look at checksums; known after the handshake. */
  checksum = true;
  #sentBytes = 0;
  #inPacket = false;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Bytes that the socket has not taken yet. */
  get waitingBytes(): number {
    return this.#socket.writableLength + this.#heldBytes;
  }

  /** A packet of the relay's own, or one that was held back. */
  packet(command: number, arg0: number, arg1: number, payload?: Buffer): void {
    const header = encodeHeader({ command, arg0, arg1 }, payload, this.checksum);
    // A small packet in one write: in two it would be two segments on the way, and wake the other side twice.
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

  /** Bytes of forwarded packets, as they came. */
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
