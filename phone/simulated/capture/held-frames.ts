/**
 * The pictures of one phone that are held now: being packed, or waiting for a client that reads slowly or never. A client may
 * open hundreds of streams that each want one, and a frame is megabytes.
 */
export class HeldFrames {
  #bytes = 0;

  /** Holds a frame while `use` runs. Throws RangeError when the phone holds too many. */
  async hold<T>(sizeBytes: number, use: () => Promise<T>): Promise<T> {
    if (this.#bytes > 0 && this.#bytes + sizeBytes > MAX_HELD_BYTES) throw new RangeError('too many captures at once');
    this.#bytes += sizeBytes;
    try {
      return await use();
    } finally {
      this.#bytes -= sizeBytes;
    }
  }
}

/** Twelve frames of 1080x2400. */
const MAX_HELD_BYTES = 128 * 1024 * 1024;
