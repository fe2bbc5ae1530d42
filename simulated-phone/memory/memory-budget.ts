/** The error when no memory is left. A shell prints "out of memory", as for other limits of a command's memory. */
export class OutOfMemory extends RangeError {
  override name = 'OutOfMemory';

  constructor() {
    super('Cannot allocate memory');
  }
}

/** Bytes of memory that each phone can have even when all phones of its process together use too much. A phone can work with this much. */
const ASSURED_BYTES = 8 * 1024 * 1024;

/** The memory of one process for its phones. Only the memory that a phone uses beyond its assured part counts here. */
export class ProcessMemory {
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#maxBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  free(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}

/**
 * The bytes that one phone may hold for its clients: payloads of streams, frames, shell variables, lines that commands keep. A request for
 * more is refused to that phone alone. Only data that clients can make larger is counted. What Node itself adds to the data is not counted.
 */
export class MemoryBudget {
  readonly #maxBytes: number;
  readonly #process: ProcessMemory;
  #usedBytes = 0;

  constructor(maxBytes: number, process: ProcessMemory) {
    this.#maxBytes = maxBytes;
    this.#process = process;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Takes bytes. Returns false, and takes nothing, when less is left. */
  take(bytes: number): boolean {
    const after = this.#usedBytes + bytes;
    if (after > this.#maxBytes || !this.#process.take(beyond(after) - beyond(this.#usedBytes))) return false;
    this.#usedBytes = after;
    return true;
  }

  free(bytes: number): void {
    const after = this.#usedBytes - bytes;
    this.#process.free(beyond(this.#usedBytes) - beyond(after));
    this.#usedBytes = after;
  }

  /** Returns an empty reservation for one command or shell. Its `release` gives back all that it took. */
  reserve(): Reservation {
    return new Reservation(this);
  }
}

/** Bytes of a budget that belong to one command or one shell, which gives them back when it ends. */
export class Reservation {
  readonly #budget: MemoryBudget;
  #bytes = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Takes bytes. Throws OutOfMemory, and takes nothing, when less is left. */
  grow(bytes: number): void {
    if (!this.#budget.take(bytes)) throw new OutOfMemory();
    this.#bytes += bytes;
  }

  shrink(bytes: number): void {
    this.#budget.free(bytes);
    this.#bytes -= bytes;
  }

  release(): void {
    this.shrink(this.#bytes);
  }
}

function beyond(bytes: number): number {
  return Math.max(0, bytes - ASSURED_BYTES);
}
