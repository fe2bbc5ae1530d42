import { HEADER_BYTES, commandName, packetHeader, sumOfBytes, type Packet, type PacketHeader } from './packet.js';

/**
 * Cuts a byte stream into packets, however it was split on the way. A payload that arrived whole is a view into the chunk it came in (no
 * copy). A payload that was split is gathered into a buffer, which is made only after the length was compared with the cap.
 *
 * `push` throws MalformedPacket. The parser must not be used after that: a broken peer can only be disconnected.
 */
export class PacketParser {
  readonly #limits: PacketLimits;
  readonly #headerBytes = Buffer.alloc(HEADER_BYTES);
  #headerFilled = 0;
  #header: PacketHeader | undefined;
  #payload: Buffer | undefined;
  #payloadFilled = 0;

  constructor(limits: PacketLimits) {
    this.#limits = limits;
  }

  /** The packets completed by `chunk`. */
  *push(chunk: Buffer): Generator<Packet, void, undefined> {
    let at = 0;
    while (at < chunk.length) {
      if (!this.#header) {
        at += this.#takeHeader(chunk, at);
        if (this.#headerFilled < HEADER_BYTES) return;
        this.#header = this.#checked(readHeader(this.#headerBytes));
        this.#headerFilled = 0;
      }
      const { length } = this.#header;
      if (!this.#payload && chunk.length - at >= length) {
        yield this.#finish(chunk.subarray(at, at + length));
        at += length;
        continue;
      }
      this.#payload ??= Buffer.allocUnsafe(length);
      const taken = chunk.copy(this.#payload, this.#payloadFilled, at, at + length - this.#payloadFilled);
      this.#payloadFilled += taken;
      at += taken;
      if (this.#payloadFilled < length) return;
      yield this.#finish(this.#payload);
    }
  }

  #takeHeader(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#headerBytes, this.#headerFilled, at, at + HEADER_BYTES - this.#headerFilled);
    this.#headerFilled += taken;
    return taken;
  }

  #checked(header: PacketHeader): PacketHeader {
    const maxBytes = this.#limits.maxPayloadBytes();
    if (header.length > maxBytes)
      throw new MalformedPacket(`${commandName(header.command)} of ${header.length} bytes is over ${maxBytes}`);
    return header;
  }

  #finish(payload: Buffer): Packet {
    const header = this.#header;
    if (!header) throw new MalformedPacket('payload without a header');
    this.#header = undefined;
    this.#payload = undefined;
    this.#payloadFilled = 0;
    if (this.#limits.verifyChecksum() && header.check !== sumOfBytes(payload))
      throw new MalformedPacket(`${commandName(header.command)} with a wrong checksum`);
    return { command: header.command, arg0: header.arg0, arg1: header.arg1, payload };
  }
}

/** Reads a header. Throws MalformedPacket when its magic does not fit its command. */
export function readHeader(bytes: Buffer, at = 0): PacketHeader {
  const header = packetHeader.read(bytes, at);
  if (header.magic === ~header.command >>> 0) return header;
  throw new MalformedPacket(`magic ${header.magic.toString(16)} does not fit ${commandName(header.command)}`);
}

/** The limits are read for each packet, because both change with the handshake. */
export interface PacketLimits {
  maxPayloadBytes(): number;
  verifyChecksum(): boolean;
}

export class MalformedPacket extends Error {
  override name = 'MalformedPacket';
}
