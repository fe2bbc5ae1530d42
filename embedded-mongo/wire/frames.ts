import { HEADER_BYTES, MalformedMessageError, MAX_MESSAGE_BYTES } from './message.js';

/**
 * Cuts a stream of bytes into messages by the length each begins with. Holds at most one incomplete message, and only those bytes of it
 * that have arrived. A peer that announces 48 MB and sends nothing costs nothing.
 */
export class Frames {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** How much is held of a message that is not complete. */
  get pendingBytes(): number {
    return this.#bytes;
  }

  /** Yields the messages that `chunk` completes. Throws MalformedMessageError for a length that no message can have. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      const length = this.#messageLength();
      if (length === undefined || this.#bytes < length) return;
      const joined = this.#join();
      this.#chunks = joined.length > length ? [joined.subarray(length)] : [];
      this.#bytes -= length;
      yield joined.subarray(0, length);
    }
  }

  #messageLength(): number | undefined {
    if (this.#bytes < 4) return undefined;
    const [first] = this.#chunks;
    const start = first !== undefined && first.length >= 4 ? first : this.#join();
    const length = start.readInt32LE(0);
    // The smallest message has a header, flags, a section's kind and an empty document.
    if (length < HEADER_BYTES + 5 || length > MAX_MESSAGE_BYTES)
      throw new MalformedMessageError(`a message of ${length} bytes`);
    return length;
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    const joined = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [joined];
    return joined;
  }
}
