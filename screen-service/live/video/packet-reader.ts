/** One packet of a scrcpy server's video. */
export interface VideoPacket {
  kind: 'configuration' | 'key' | 'delta';
  data: Buffer;
}

/** `h264` in ASCII. */
const CODEC_H264 = 0x68323634;
/** Codec, width, height. */
const META_BYTES = 12;
/** Flags and time, then the size. */
const HEADER_BYTES = 12;
const CONFIGURATION_BIT = 0x80;
const KEY_FRAME_BIT = 0x40;

/** Largest packet that is accepted, bytes. A key frame of noise in 4K has some 4 MB. */
const MAX_PACKET_BYTES = 8 * 1024 * 1024;

/** Memory that is allocated for a packet before its bytes arrive. More is allocated as they arrive. */
const FIRST_ROOM_BYTES = 64 * 1024;

/**
 * Reads the stream of a video: the codec, then packets. Throws when the stream has another form. The library's own reader is not used: it
 * allocates whatever size a phone announces. Pieces are copied when they arrive. Otherwise, a phone that sends single bytes would make
 * the service keep an object for each byte.
 */
export class PacketReader {
  #part = Buffer.alloc(META_BYTES);
  #bytes = 0;
  #needBytes = META_BYTES;
  #state: 'meta' | 'header' | 'data' = 'meta';
  #kind: VideoPacket['kind'] = 'delta';

  /** Returns the packets that `chunk` completes. */
  *push(chunk: Buffer): Generator<VideoPacket, void, undefined> {
    for (let rest = chunk; rest.length > 0;) {
      const taken = rest.subarray(0, this.#needBytes - this.#bytes);
      rest = rest.subarray(taken.length);
      this.#add(taken);
      if (this.#bytes < this.#needBytes) return;
      const part = this.#part;
      if (this.#state === 'meta') {
        if (part.readUInt32BE(0) !== CODEC_H264) throw new Error(`a codec ${part.toString('hex', 0, 4)}`);
        this.#expect('header', HEADER_BYTES);
      } else if (this.#state === 'header') {
        this.#readHeader(part);
      } else {
        this.#expect('header', HEADER_BYTES);
        yield { kind: this.#kind, data: part };
      }
    }
  }

  #readHeader(header: Buffer): void {
    const flags = header.readUInt8(0);
    const bytes = header.readUInt32BE(8);
    if (bytes === 0 || bytes > MAX_PACKET_BYTES) throw new Error(`a packet of ${bytes} bytes`);
    this.#kind = (flags & CONFIGURATION_BIT) !== 0 ? 'configuration' : (flags & KEY_FRAME_BIT) !== 0 ? 'key' : 'delta';
    this.#expect('data', bytes);
  }

  #expect(state: 'header' | 'data', bytes: number): void {
    this.#state = state;
    this.#needBytes = bytes;
    this.#bytes = 0;
    this.#part = Buffer.alloc(Math.min(bytes, FIRST_ROOM_BYTES));
  }

  /** Adds a piece to the part. Once the part is complete, its buffer has exactly the expected size. */
  #add(piece: Buffer): void {
    const bytes = this.#bytes + piece.length;
    if (bytes > this.#part.length) {
      const larger = Buffer.alloc(Math.min(this.#needBytes, Math.max(bytes, 2 * this.#part.length)));
      this.#part.copy(larger, 0, 0, this.#bytes);
      this.#part = larger;
    }
    piece.copy(this.#part, this.#bytes);
    this.#bytes = bytes;
  }
}
