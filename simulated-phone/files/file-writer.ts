import type { FileHandle } from 'node:fs/promises';
import type { Disk } from './disk.js';
import { asPhoneFileError } from './file-error.js';
import type { WriteHandle } from './file-handles.js';

/** Writes to a file in place. */
export class DiskWriter implements WriteHandle {
  readonly #disk: Disk;
  readonly #handle: FileHandle;
  readonly #path: string;

  constructor(disk: Disk, handle: FileHandle, path: string) {
    this.#disk = disk;
    this.#handle = handle;
    this.#path = path;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#disk.storage.reserve(bytes.length, this.#path);
    await this.#disk.writeOpen(this.#path, this.#handle, bytes);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Receives content that does not show until `commit`. `commit` or `abort` ends it. */
export class IncomingFile {
  readonly path: string;
  readonly #disk: Disk;
  readonly #temporary: { hostPath: string; handle: FileHandle };
  readonly #permissions: number;
  #sizeBytes = 0;
  #ended = false;

  private constructor(
    disk: Disk,
    path: string,
    permissions: number,
    temporary: { hostPath: string; handle: FileHandle },
  ) {
    this.#disk = disk;
    this.path = path;
    this.#permissions = permissions;
    this.#temporary = temporary;
  }

  static async open(disk: Disk, path: string, permissions: number): Promise<IncomingFile> {
    return new IncomingFile(disk, path, permissions, await disk.temporary(path));
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** The place of the bytes on the host until `commit`. The installer reads an APK from there before it installs it. */
  get hostPath(): string {
    return this.#temporary.hostPath;
  }

  async write(bytes: Uint8Array | readonly Uint8Array[]): Promise<void> {
    const parts = bytes instanceof Uint8Array ? [bytes] : bytes;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length === 0) return;
    await this.#disk.storage.reserve(length, this.path);
    this.#sizeBytes += length;
    try {
      await writeAll(this.#temporary.handle, parts, this.#sizeBytes - length);
    } catch (error) {
      throw asPhoneFileError(error, this.path);
    }
  }

  /** Puts the file in its place. `path`: another place than was planned; its folder must exist. */
  async commit(options: { durable?: boolean; mtimeMs?: number; path?: string } = {}): Promise<void> {
    const { handle, hostPath } = this.#temporary;
    try {
      await handle.chmod((this.#permissions & 0o777) | 0o600);
      if (options.mtimeMs !== undefined) await handle.utimes(options.mtimeMs / 1000, options.mtimeMs / 1000);
      if (options.durable) await handle.sync();
      await handle.close();
      await this.#disk.adopt(hostPath, options.path ?? this.path);
      this.#ended = true;
    } catch (error) {
      await this.abort();
      throw asPhoneFileError(error, this.path);
    }
  }

  /** Discards the content. It does nothing after `commit` or an earlier `abort`. */
  async abort(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#temporary.handle.close().catch(() => undefined); // commit may have closed it
    await this.#disk.discard(this.#temporary.hostPath, this.#sizeBytes);
  }
}

/** Writes all parts, in one call unless the disk takes only some of them. An adb packet of a push has up to sixteen. */
async function writeAll(handle: FileHandle, parts: readonly Uint8Array[], start: number): Promise<void> {
  let left = parts.filter((part) => part.length > 0);
  for (let position = start; left.length > 0;) {
    let { bytesWritten } = await handle.writev(left, position);
    position += bytesWritten;
    left = left.flatMap((part) => {
      const skipped = Math.min(bytesWritten, part.length);
      bytesWritten -= skipped;
      return skipped === part.length ? [] : [part.subarray(skipped)];
    });
  }
}

/** The writer of `/dev/null`. */
export const discardWriter: WriteHandle = {
  write: async () => undefined,
  close: async () => undefined,
};
