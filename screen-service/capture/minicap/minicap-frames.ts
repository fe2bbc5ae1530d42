/** The first data on minicap's socket, 24 bytes little-endian. */
export interface MinicapBanner {
  pid: number;
  virtualWidth: number;
  virtualHeight: number;
  /** Quarter turns. */
  orientation: number;
}

/** The largest size of a frame, in bytes. A larger one is taken for a broken stream. A 4K JPEG of noise has about 12 MB. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

const BANNER_VERSION = 1;
const MIN_BANNER_BYTES = 24;

/** Takes minicap's stream apart: the banner, then frames of `u32 length` and a JPEG. Throws when the stream has another form. */
export class MinicapReader {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #needBytes = 2;
  #bannerBytes = 0;
  #banner: MinicapBanner | undefined;
  #frameBytes: number | undefined;

  get banner(): MinicapBanner | undefined {
    return this.#banner;
  }

  /** The frames completed by `chunk`. */
  *push(chunk: Buffer): Generator<Buffer, void, undefined> {
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    while (this.#pendingBytes >= this.#needBytes) {
      const frame = this.#step();
      if (frame !== undefined) yield frame;
    }
  }

  #step(): Buffer | undefined {
    if (this.#banner === undefined) {
      if (this.#bannerBytes === 0) {
        const [version = 0, bytes = 0] = this.#peek(2);
        if (version !== BANNER_VERSION || bytes < MIN_BANNER_BYTES)
          throw new Error(`minicap greets with version ${version}`);
        this.#bannerBytes = bytes;
        this.#needBytes = bytes;
        return undefined;
      }
      const bytes = this.#take(this.#bannerBytes);
      this.#banner = {
        pid: bytes.readUInt32LE(2),
        virtualWidth: bytes.readUInt32LE(14),
        virtualHeight: bytes.readUInt32LE(18),
        orientation: bytes.readUInt8(22),
      };
      this.#needBytes = 4;
      return undefined;
    }
    if (this.#frameBytes === undefined) {
      const length = this.#take(4).readUInt32LE(0);
      if (length === 0 || length > MAX_FRAME_BYTES) throw new Error(`minicap announces a frame of ${length} bytes`);
      this.#frameBytes = length;
      this.#needBytes = length;
      return undefined;
    }
    const frame = this.#take(this.#frameBytes);
    this.#frameBytes = undefined;
    this.#needBytes = 4;
    if (frame.readUInt16BE(0) !== JPEG_START) throw new Error('minicap sent a frame that is no JPEG');
    return frame;
  }

  #peek(bytes: number): Buffer {
    const whole = Buffer.concat(this.#pending);
    this.#pending = [whole];
    return whole.subarray(0, bytes);
  }

  #take(bytes: number): Buffer {
    const whole = this.#pending.length === 1 ? (this.#pending[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pending);
    this.#pending = [whole.subarray(bytes)];
    this.#pendingBytes -= bytes;
    // The frame is copied, so that a small frame does not keep a large chunk in memory.
    return Buffer.from(whole.subarray(0, bytes));
  }
}

const JPEG_START = 0xffd8;
