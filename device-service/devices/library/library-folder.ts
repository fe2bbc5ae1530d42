import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { KeyedLock } from '../../../kit/async/keyed-lock.js';
import { flushNames } from '../../../phone/files/flush-names.js';
import { LIBRARY_PIECE_BYTES } from '../limits.js';

/** The names of the files: SHA-256 in hexadecimal. */
const FILE = /^[0-9a-f]{64}$/;

/**
 * The files of the app libraries on this host. The name of each is its checksum, so files that several apps share are stored once.
 *
 * A file comes here whole and durable, by a rename. After a crash it may be here without a document that names it, and the sweep removes it
 * (sweep-library.ts). The name never comes from a caller.
 */
export class LibraryFolder {
  readonly #directory: string;
  readonly #lock = new KeyedLock();

  constructor(directory: string) {
    this.#directory = directory;
  }

  path(sha256: string): string {
    if (!FILE.test(sha256)) throw new Error('a file of the library is named by its checksum');
    return join(this.#directory, sha256);
  }

  /** Runs work that adds a file, or removes it, one piece at a time for each file. */
  exclusively<T>(sha256: string, work: () => Promise<T>): Promise<T> {
    return this.#lock.run(sha256, work);
  }

  /** Puts a durable file of the same disk here. A file that has the checksum already has the same content, and is replaced. */
  async place(from: string, sha256: string): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await rename(from, this.path(sha256));
    // The database notes the file next.
    await flushNames(this.#directory);
  }

  /** Returns the size of a file, bytes; undefined when it is not here. */
  async sizeOf(sha256: string): Promise<number | undefined> {
    const found = await stat(this.path(sha256)).catch(noneYet);
    return found?.size;
  }

  /** Opens a file, and returns its size and its content, which the caller destroys. Returns undefined when the file is not here. */
  async read(sha256: string): Promise<{ sizeBytes: number; content: Readable } | undefined> {
    const file = await open(this.path(sha256)).catch(noneYet);
    if (file === undefined) return undefined;
    const { size } = await file.stat();
    const content = createReadStream('', { fd: file, highWaterMark: LIBRARY_PIECE_BYTES });
    return { sizeBytes: size, content };
  }

  /** Returns the checksums of the files that are here. */
  async list(): Promise<string[]> {
    const names = (await readdir(this.#directory).catch(noneYet)) ?? [];
    return names.filter((name) => FILE.test(name));
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.path(sha256), { force: true });
  }
}

function noneYet(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
