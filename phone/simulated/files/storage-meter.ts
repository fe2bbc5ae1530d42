import fs from 'node:fs/promises';
import nodePath from 'node:path';
import { PhoneFileError } from './file-error.js';

/** Counts the bytes of the files below a host folder, against the phone's capacity. */
export class StorageMeter {
  readonly capacityBytes: number;
  readonly #root: string;
  #countedBytes: Promise<number> | undefined;
  #growthBytes = 0;

  constructor({ root, capacityBytes }: { root: string; capacityBytes: number }) {
    this.#root = root;
    this.capacityBytes = capacityBytes;
  }

  /** Counted once by walking the folder, and updated from then on. */
  async usedBytes(): Promise<number> {
    this.#countedBytes ??= sizeOf(this.#root);
    return Math.max(0, (await this.#countedBytes) + this.#growthBytes);
  }

  /** Takes `bytes` of the storage for `path`; throws ENOSPC when less is left. */
  async reserve(bytes: number, path: string): Promise<void> {
    if ((await this.usedBytes()) + bytes > this.capacityBytes) throw new PhoneFileError('ENOSPC', path);
    this.#growthBytes += bytes;
  }

  /** Notes that the files have grown, or have become smaller when `bytes` is negative. */
  async grow(bytes: number): Promise<void> {
    // Before the first count there is nothing to update: the walk will see the change.
    if (this.#countedBytes === undefined) return;
    await this.#countedBytes;
    this.#growthBytes += bytes;
  }
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await fs.readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const stat = await fs.lstat(nodePath.join(entry.parentPath, entry.name)).catch(() => undefined);
    bytes += stat?.size ?? 0;
  }
  return bytes;
}
