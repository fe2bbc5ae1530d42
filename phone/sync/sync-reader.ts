import type { Clock } from '../../kit/clock.js';
import { Limited } from '../../kit/within.js';
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

/** Reads what a phone sends by length. No more is taken from the phone than was requested, but for the rest of one chunk. */
export class SyncReader {
  readonly #source: ChunkSource;
  readonly #options: SyncReaderOptions;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: ChunkSource, options: SyncReaderOptions) {
    this.#source = source;
    this.#options = options;
  }

  /**
   * Returns exactly so many bytes; for short records, as they are held together. Throws unavailable when the phone ends before. `idleMs`
   * Infinity: for what the phone sends only when it likes to.
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

  /** Returns what there is, at least one byte and at most so many, without copying it. Throws unavailable at the end. */
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
    const limited = new Limited({ clock, timeoutMs, signals: [signal], onTimeout });
    try {
      return await limited.unlessEnded(work);
    } finally {
      limited.end();
    }
  }

  async #next(idleMs: number): Promise<Buffer> {
    const { done, value } = await this.within(this.#source.read(), idleMs);
    if (done || value === undefined)
      throw phoneUnavailable(`The phone broke off while it was to ${this.#options.doing}.`);
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}
