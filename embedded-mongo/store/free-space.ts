import { statfsSync } from 'node:fs';
import type { Clock } from '../../kit/clock.js';
import { CommandError } from '../command-error.js';

/**
 * Disk space that is left free, bytes. LMDB that runs into a full disk damages its own memory on the way out and takes the process with it
 * when it is closed, so it never gets there. More than may be written between two checks, except by giant imports.
 */
const RESERVE_BYTES = 64 * 1024 ** 2;

/** Time between two checks, ms: one costs some microseconds, a commit a hundred. */
const CHECK_SPACING_MS = 50;

/** Refuses writes when the disk is nearly full. Stored data can still be read. */
export class FreeSpace {
  readonly #freeBytes: () => number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #checkedMs = -Infinity;
  #enough = true;

  /** `freeBytes`: returns the free bytes of the disk. */
  constructor(freeBytes: () => number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#freeBytes = freeBytes;
    this.#clock = clock;
  }

  /** Throws OutOfDiskSpace. */
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

/** Returns the disk space of a folder that is available without root, bytes. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
