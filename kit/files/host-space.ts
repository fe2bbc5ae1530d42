import { begunAhead } from '../async/begun-ahead.js';
import { statfs } from 'node:fs/promises';
import type { Clock } from '../async/clock.js';

/** Room that phones and uploads leave on their host's disk, bytes: the service's database stops writing for everybody below 64 MiB. */
export const MIN_HOST_FREE_BYTES = 1024 ** 3;

/** The number of files, folders and links that phones and uploads leave to others, where the file system bounds that number. */
export const MIN_HOST_FREE_ENTRIES = 20_000;

/** Room without which the data folder counts as full, bytes. The embedded database takes no writes below it (embedded-mongo). */
const FULL_BELOW_BYTES = 64 * 1024 ** 2;
/** The same for files, folders and links. */
const FULL_BELOW_ENTRIES = 1_000;

/**
 * How long a measurement holds, ms. Until the next one, the writes of this process are subtracted. Other processes write some GB/s at most.
 */
const MEASURED_MS = 500;

/** The room on a file system. Absent `freeEntries`: the file system does not bound the number of files, folders and links. */
export interface FreeSpace {
  freeBytes: number;
  freeEntries?: number;
}

export interface HostSpaceOptions {
  measure: () => Promise<FreeSpace>;
  clock: Clock;
}

/**
 * The room on a disk that the phones or uploads of this process share with others. It is measured at a bounded rate, and guarded with a
 * floor.
 */
export class HostSpace {
  readonly #options: HostSpaceOptions;
  #measuring: Promise<void> | undefined;
  #measuredMs = -Infinity;
  #free: FreeSpace = { freeBytes: 0 };

  constructor(options: HostSpaceOptions) {
    this.#options = options;
  }

  /** Returns whether `bytes` may be written, and `entries` files, folders and links be made; counts them if so. */
  async take(bytes: number, entries = 0): Promise<boolean> {
    const { clock } = this.#options;
    if (clock.monotonicMs() - this.#measuredMs >= MEASURED_MS) {
      this.#measuring ??= begunAhead(this.#measure().finally(() => (this.#measuring = undefined)));
      await this.#measuring;
    }
    const { freeBytes, freeEntries = Infinity } = this.#free;
    if (freeBytes - bytes < MIN_HOST_FREE_BYTES || freeEntries - entries < MIN_HOST_FREE_ENTRIES) return false;
    this.#free = { freeBytes: freeBytes - bytes, freeEntries: freeEntries - entries };
    return true;
  }

  /** Passes on the content of a file that is being written, while there is room for it. Throws HostFull. */
  async *bounded(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      if (!(await this.take(chunk.length))) throw new HostFull();
      yield chunk;
    }
  }

  async #measure(): Promise<void> {
    this.#free = { ...(await this.#options.measure()) };
    this.#measuredMs = this.#options.clock.monotonicMs();
  }
}

/** Thrown where the rest of the disk is for others. The error has the code that a full disk has. */
export class HostFull extends Error {
  override name = 'HostFull';
  readonly code = 'ENOSPC';

  constructor() {
    super(
      `less than ${MIN_HOST_FREE_BYTES} bytes, or ${MIN_HOST_FREE_ENTRIES} entries, would be left on the host's disk`,
    );
  }
}

/** Returns whether a file system with this room counts as full: the service cannot record what it does. */
export function isFull({ freeBytes, freeEntries = Infinity }: FreeSpace): boolean {
  return freeBytes < FULL_BELOW_BYTES || freeEntries < FULL_BELOW_ENTRIES;
}

/** Measures the file system of a folder, as a user without special rights may use it. */
export async function freeSpaceOf(folder: string): Promise<FreeSpace> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  return { freeBytes: bavail * bsize, ...(files > 0 && { freeEntries: ffree }) };
}
