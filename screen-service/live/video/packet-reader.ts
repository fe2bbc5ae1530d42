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

/** A key frame of a 4K screen of noise has some 4 MB; a larger packet is a lie. */
const PACKET_MAX_BYTES = 8 * 1024 * 1024;

/**
 * Takes the stream of a video apart: the codec, then packets. Throws when it is something else. The library's own reader makes room for
 * whatever size a phone announces, so this one stands in its place.
 */
export class PacketReader {
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #needBytes = META_BYTES;
  #state: 'meta' | 'header' | 'data' = 'meta';
  #kind: VideoPacket['kind'] = 'delta';

  /** Returns the packets that `chunk` completes. */
  *push(chunk: Buffer): Generator<VideoPacket, void, undefined> {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    while (this.#waitingBytes >= this.#needBytes) {
      const part = this.#take(this.#needBytes);
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
    if (bytes === 0 || bytes > PACKET_MAX_BYTES) throw new Error(`a packet of ${bytes} bytes`);
    this.#kind = (flags & CONFIGURATION_BIT) !== 0 ? 'configuration' : (flags & KEY_FRAME_BIT) !== 0 ? 'key' : 'delta';
    this.#expect('data', bytes);
  }

  #expect(state: 'header' | 'data', bytes: number): void {
    this.#state = state;
    this.#needBytes = bytes;
  }

  /** A copy, so that a small packet does not hold a large chunk. */
  #take(bytes: number): Buffer {
    const whole = this.#waiting.length === 1 ? (this.#waiting[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#waiting);
    this.#waiting = [whole.subarray(bytes)];
    this.#waitingBytes -= bytes;
    return Buffer.from(whole.subarray(0, bytes));
  }
}
