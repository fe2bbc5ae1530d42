import { OutOfMemory, type MemoryBudget } from './memory-budget.js';

/**
 * Limits the frames of one phone that are being encoded or wait for a slow client. A client may open hundreds of streams that each request
 * a frame of megabytes.
 */
export class HeldFrames {
  #bytes = 0;
  readonly #memory: MemoryBudget;

  constructor(memory: MemoryBudget) {
    this.#memory = memory;
  }

  /** Holds a frame while `use` runs. Throws RangeError when the phone holds too many. */
  async hold<T>(sizeBytes: number, use: () => Promise<T>): Promise<T> {
    if (this.#bytes > 0 && this.#bytes + sizeBytes > MAX_HELD_BYTES) throw new RangeError('too many captures at once');
    if (!this.#memory.take(sizeBytes)) throw new OutOfMemory();
    this.#bytes += sizeBytes;
    try {
      return await use();
    } finally {
      this.#bytes -= sizeBytes;
      this.#memory.free(sizeBytes);
    }
  }
}

/** Most bytes of held frames: six frames of 1080x2400. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
