import type { ByteSource } from './pipe.js';

/** Reads a stream by length, for protocols of records. */
export class StreamReader {
  readonly #source: ByteSource;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Returns exactly `bytes` bytes; undefined when the stream ends before. It is for small records, as all bytes are held in memory. */
  async exactly(bytes: number): Promise<Buffer | undefined> {
    if (this.#rest.length >= bytes) return this.#take(bytes);
    const parts = [this.#rest];
    let held = this.#rest.length;
    while (held < bytes) {
      const part = await this.#source.read();
      if (!part) return undefined;
      parts.push(part);
      held += part.length;
    }
    this.#rest = Buffer.concat(parts);
    return this.#take(bytes);
  }

  /** Returns the available bytes, at least one and at most `maxBytes`; undefined at the end. */
  async some(maxBytes: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const part = await this.#source.read();
      if (!part) return undefined;
      this.#rest = part;
    }
    return this.#take(Math.min(maxBytes, this.#rest.length));
  }

  /** Whether a record of `bytes` can be read without waiting. */
  holds(bytes: number): boolean {
    return this.#rest.length >= bytes;
  }

  #take(bytes: number): Buffer {
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return taken;
  }
}
