import { statfsSync } from 'node:fs';
import type { Clock } from '../../kit/async/clock.js';
import { CommandError } from '../values/command-error.js';

/**
 * Disk space that is kept free, bytes. On a full disk, LMDB damages its own memory, and the process crashes when the store is closed. So
 * writes are refused before the disk is full. The reserve is more than may be written between two checks, except by giant imports.
 */
const RESERVE_BYTES = 64 * 1024 ** 2;

/** Time between two checks, ms. A check takes some microseconds, and a commit a hundred. */
const CHECK_SPACING_MS = 50;

/** Refuses writes when the disk is nearly full. Stored data can still be read. */
export class FreeSpace {
  readonly #freeBytes: () => number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #checkedMs = -Infinity;
  #enough = true;

  /** `freeBytes` returns the free bytes of the disk. */
  constructor(freeBytes: () => number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#freeBytes = freeBytes;
    this.#clock = clock;
  }

  /** Throws OutOfDiskSpace if the disk is nearly full. */
  assertEnough(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#checkedMs >= CHECK_SPACING_MS) {
      this.#checkedMs = nowMs;
      this.#enough = this.#freeBytes() >= RESERVE_BYTES;
    }
    if (this.#enough) return;
    throw new CommandError(
      'OutOfDiskSpace',
      `the disk of the data folder is full (less than ${RESERVE_BYTES / 1024 ** 2} MiB free): make room, and writes go on by themselves`,
    );
  }
}

/** Returns the free bytes on a folder's disk that users other than root can use. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
