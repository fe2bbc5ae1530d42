import { statfs } from 'node:fs/promises';
import type { Clock } from './clock.js';

/** Room that phones and uploads leave on their host's disk, bytes: the service's database stops writing for everybody below 64 MiB. */
export const HOST_FREE_MIN_BYTES = 1024 ** 3;

/** Files, folders and links that they leave to others there, where the file system has a bounded number. */
export const HOST_FREE_MIN_ENTRIES = 20_000;

/** How long a measurement holds, ms. Writes of this process count from then on; other processes write some GB/s at most. */
const MEASURED_MS = 500;

/** The room on a file system. Absent `freeEntries`: it has no bound of their number. */
export interface FreeSpace {
  freeBytes: number;
  freeEntries?: number;
}

export interface HostSpaceOptions {
  measure: () => Promise<FreeSpace>;
  clock: Clock;
}

/** The room on a disk that the phones or uploads of this process share with others: measured at a bounded rate, and guarded with a floor. */
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
      this.#measuring ??= this.#measure().finally(() => (this.#measuring = undefined));
      await this.#measuring;
    }
    const { freeBytes, freeEntries = Infinity } = this.#free;
    if (freeBytes - bytes < HOST_FREE_MIN_BYTES || freeEntries - entries < HOST_FREE_MIN_ENTRIES) return false;
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

/** Has the code of a full disk: the rest of the disk is for others. */
export class HostFull extends Error {
  override name = 'HostFull';
  readonly code = 'ENOSPC';

  constructor() {
    super(
      `less than ${HOST_FREE_MIN_BYTES} bytes, or ${HOST_FREE_MIN_ENTRIES} entries, would be left on the host's disk`,
    );
  }
}

/** Measures the file system of a folder, as a user without special rights may use it. */
export async function freeSpaceOf(folder: string): Promise<FreeSpace> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  return { freeBytes: bavail * bsize, ...(files > 0 && { freeEntries: ffree }) };
}
