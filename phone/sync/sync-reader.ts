import type { Clock } from '../../kit/async/clock.js';
import { Cancellation } from '../../kit/async/within.js';
import { phoneTimeout, phoneUnavailable } from '../link/phone-errors.js';

export interface SyncReaderOptions {
  clock: Clock;
  /** Longest time in which nothing comes while something is awaited, ms. */
  idleMs: number;
  /** Ends every read with its reason. */
  signal: AbortSignal;
  /** Completes "the phone did not …" in error texts. */
  doing: string;
}

/** Where a phone's bytes come from. */
export interface ChunkSource {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
}

/**
 * Reads a given number of bytes from what a phone sends. It takes no more from the phone than was requested, except for the rest of a
 * chunk.
 */
export class SyncReader {
  readonly #source: ChunkSource;
  readonly #options: SyncReaderOptions;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: ChunkSource, options: SyncReaderOptions) {
    this.#source = source;
    this.#options = options;
  }

  /**
   * Returns exactly `bytes` bytes. It is for short records, because it holds all the bytes in memory. Throws unavailable when the phone
   * ends too early. Set `idleMs` to Infinity for data that the phone may send at any time.
   */
  async exactly(bytes: number, idleMs = this.#options.idleMs): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = bytes; missing > 0;) {
      const part = await this.some(missing, idleMs);
      parts.push(part);
      missing -= part.length;
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  /** Returns the bytes that are there, at least one and at most `maxBytes`, without a copy. Throws unavailable at the end. */
  async some(maxBytes: number, idleMs = this.#options.idleMs): Promise<Buffer> {
    while (this.#rest.length === 0) this.#rest = await this.#next(idleMs);
    const taken = this.#rest.subarray(0, maxBytes);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** Returns the result of something that the phone is to do, or throws timeout. */
  async within<T>(work: Promise<T>, timeoutMs = this.#options.idleMs): Promise<T> {
    const { clock, signal, doing } = this.#options;
    const onTimeout = (): Error => phoneTimeout(doing, timeoutMs);
    const cancellation = new Cancellation([signal], { clock, timeoutMs, onTimeout });
    try {
      return await cancellation.unlessEnded(work);
    } finally {
      cancellation.end();
    }
  }

  async #next(idleMs: number): Promise<Buffer> {
    const { done, value } = await this.within(this.#source.read(), idleMs);
    if (done || value === undefined)
      throw phoneUnavailable(`The phone broke off while it was to ${this.#options.doing}.`);
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}
