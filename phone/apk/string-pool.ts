import { type Chunk } from './chunk.js';
import type { ReadBudget } from './read-budget.js';

const UTF8_FLAG = 0x100;
/** Longer strings are cut. No label or name that is used comes near this length. */
const MAX_STRING_BYTES = 64 * 1024;

/** The strings that a table or a manifest refers to by number. Each is decoded once, on demand: a table can hold a million. */
export class StringPool {
  readonly #bytes: Buffer;
  readonly #budget: ReadBudget;
  readonly #count: number;
  readonly #isUtf8: boolean;
  readonly #stringsStart: number;
  readonly #headerBytes: number;
  /** The decoded strings by their place in the chunk, as many numbers can lead to one place. */
  readonly #decoded = new Map<number, string>();

  constructor({ bytes, headerBytes }: Chunk, budget: ReadBudget) {
    this.#bytes = bytes;
    this.#budget = budget;
    this.#headerBytes = headerBytes;
    this.#count = bytes.readUInt32LE(8);
    this.#isUtf8 = (bytes.readUInt32LE(16) & UTF8_FLAG) !== 0;
    this.#stringsStart = bytes.readUInt32LE(20);
  }

  /** Returns undefined when there is no string of that number (0xffffffff means none). */
  get(index: number): string | undefined {
    if (index >= this.#count) return undefined;
    const at = this.#stringsStart + this.#bytes.readUInt32LE(this.#headerBytes + index * 4);
    const known = this.#decoded.get(at);
    if (known !== undefined) return known;
    const text = this.#isUtf8 ? this.#utf8At(at) : this.#utf16At(at);
    this.#decoded.set(at, text);
    return text;
  }

  /**
   * Reads a string that begins with its length in characters, then in bytes. Each length takes one byte, or two when the high bit is set.
   */
  #utf8At(start: number): string {
    let at = start + (this.#bytes.readUInt8(start) & 0x80 ? 2 : 1);
    let length = this.#bytes.readUInt8(at++);
    if (length & 0x80) length = ((length & 0x7f) << 8) | this.#bytes.readUInt8(at++);
    return this.#decode('utf8', at, length);
  }

  #utf16At(start: number): string {
    let at = start + 2;
    let length = this.#bytes.readUInt16LE(start);
    if (length & 0x8000) {
      length = ((length & 0x7fff) << 16) | this.#bytes.readUInt16LE(at);
      at += 2;
    }
    return this.#decode('utf16le', at, length * 2);
  }

  #decode(encoding: 'utf8' | 'utf16le', at: number, length: number): string {
    const bytes = Math.min(length, MAX_STRING_BYTES);
    this.#budget.takeText(bytes);
    return this.#bytes.toString(encoding, at, at + bytes);
  }
}
