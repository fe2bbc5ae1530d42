import { createWriteStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import yauzl, { type Entry, type ZipFile as YauzlFile } from 'yauzl';
import { HostFull, type HostSpace } from '../../kit/files/host-space.js';
import { ApkError, notAnApk } from './apk-error.js';
import type { ApkLimits } from './apk-limits.js';
import { BlockReader } from './block-reader.js';
import type { ReadBudget } from './read-budget.js';

export interface UnpackOptions {
  maxBytes: number;
  /** Undefined: the room on the disk is not measured. */
  hostSpace: HostSpace | undefined;
}

/** The entries of a zip file and the content of small ones. Entries are unpacked on demand only. */
export class ZipFile {
  readonly #zip: YauzlFile;
  readonly #limits: ApkLimits;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #handle: FileHandle;
  readonly #directoryOffset: number;

  private constructor(parts: {
    zip: YauzlFile;
    limits: ApkLimits;
    entries: ReadonlyMap<string, Entry>;
    handle: FileHandle;
    directoryOffset: number;
  }) {
    this.#zip = parts.zip;
    this.#limits = parts.limits;
    this.#entries = parts.entries;
    this.#handle = parts.handle;
    this.#directoryOffset = parts.directoryOffset;
  }

  /**
   * Opens a zip file, which the caller closes. Throws ApkError for a file that is no zip file, is over a limit, or has more entries than
   * the budget has left.
   */
  static async open(path: string, limits: ApkLimits, budget: ReadBudget): Promise<ZipFile> {
    const { size } = await stat(path);
    if (size > limits.fileBytes)
      throw new ApkError('INSTALL_FAILED_INVALID_APK', `APK is over ${limits.fileBytes} bytes`);
    const handle = await open(path, 'r');
    try {
      const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
      const zip = await yauzl.fromRandomAccessReaderPromise(new BlockReader(handle), size, options);
      try {
        // Until the first entry is read, this field is the offset of the list of entries, the zip format's central directory. The type
        // package wrongly declares a boolean.
        const directoryOffset = zip.readEntryCursor as unknown as number;
        budget.takeEntries(zip.entryCount, size - directoryOffset);
        return new ZipFile({ zip, limits, entries: await readEntries(zip), handle, directoryOffset });
      } catch (error) {
        zip.close();
        throw error;
      }
    } catch (error) {
      await handle.close();
      throw error instanceof ApkError ? error : notAnApk(reasonOf(error));
    }
  }

  names(): Iterable<string> {
    return this.#entries.keys();
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * Throws ApkError for contents that no untrusted file may have, even if a phone would accept them. These are names that lead out of a
   * folder, entries that overlap, and contents far larger than the file.
   */
  assertSound(): void {
    const { unpackedBytes, ratio, ratioFreeBytes } = this.#limits;
    let unpacked = 0;
    let packed = 0;
    for (const [name, entry] of this.#entries) {
      if (leadsOut(name)) throw notAnApk(`an entry's name leads out of its folder: ${name.slice(0, 100)}`);
      unpacked += entry.uncompressedSize;
      packed += entry.compressedSize;
    }
    if (unpacked > unpackedBytes) throw new ApkError('INSTALL_FAILED_INVALID_APK', `it unpacks to over ${unpackedBytes} bytes`); // prettier-ignore
    if (unpacked > ratioFreeBytes && unpacked > packed * ratio) throw new ApkError('INSTALL_FAILED_INVALID_APK', `it unpacks to over ${ratio} times its size`); // prettier-ignore
    const inOrder = [...this.#entries.values()].sort(
      (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
    );
    inOrder.forEach((entry, at) => {
      const end = entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize;
      const next = inOrder[at + 1]?.relativeOffsetOfLocalHeader ?? this.#directoryOffset;
      if (end > next) throw notAnApk('its entries lie over one another');
    });
  }

  /**
   * Writes an entry into a new file. Throws ApkError as `read` does, also when there is no such entry. Throws HostFull when `hostSpace` has
   * no room. After an error, a part of the file may be there.
   */
  async unpack(name: string, to: string, { maxBytes, hostSpace }: UnpackOptions): Promise<number> {
    const entry = this.#entries.get(name);
    if (!entry) throw notAnApk(`${name} is missing`);
    this.#assertReadable(name, entry, maxBytes);
    try {
      const source = await this.#zip.openReadStreamPromise(entry);
      const content = hostSpace?.bounded(source) ?? source;
      await pipeline(content, createWriteStream(to, { flags: 'wx', mode: 0o600 }));
      return entry.uncompressedSize;
    } catch (error) {
      // The error is one of this machine, such as a full disk, and not of the file.
      if (error instanceof HostFull || (error instanceof Error && 'syscall' in error)) throw error;
      throw error instanceof ApkError ? error : notAnApk(`${name}: ${reasonOf(error)}`);
    }
  }

  /**
   * Returns an entry's content; undefined when there is no such entry. Throws ApkError for one that is too large, packed too tightly,
   * broken or over the budget.
   */
  async read(name: string, maxBytes: number, budget: ReadBudget): Promise<Buffer | undefined> {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    this.#assertReadable(name, entry, maxBytes);
    budget.takeContent(entry.uncompressedSize);
    try {
      const parts: Buffer[] = [];
      let bytes = 0;
      for await (const part of await this.#zip.openReadStreamPromise(entry)) {
        if (!Buffer.isBuffer(part)) throw notAnApk(`${name} cannot be read`);
        bytes += part.length;
        // yauzl checks the announced size as well. This check holds even if that one fails.
        if (bytes > maxBytes) throw new ApkError('INSTALL_FAILED_INVALID_APK', `${name} is over ${maxBytes} bytes`);
        parts.push(part);
      }
      return Buffer.concat(parts);
    } catch (error) {
      throw error instanceof ApkError ? error : notAnApk(`${name}: ${reasonOf(error)}`);
    }
  }

  #assertReadable(name: string, entry: Entry, maxBytes: number): void {
    const { uncompressedSize, compressedSize } = entry;
    if (uncompressedSize > maxBytes)
      throw new ApkError('INSTALL_FAILED_INVALID_APK', `${name} is over ${maxBytes} bytes`);
    const isBomb =
      uncompressedSize > this.#limits.ratioFreeBytes && uncompressedSize > compressedSize * this.#limits.ratio;
    if (isBomb)
      throw new ApkError('INSTALL_FAILED_INVALID_APK', `${name} unpacks to over ${this.#limits.ratio} times its size`);
    if (entry.isEncrypted()) throw notAnApk(`${name} is encrypted`);
  }

  /** The offset at which the list of entries begins, and the size of the file. */
  get directory(): { offset: number; fileBytes: number } {
    return { offset: this.#directoryOffset, fileBytes: this.#zip.fileSize };
  }

  /** Reads the file itself, `length` bytes from `at`, into the beginning of `buffer`. */
  async readRaw(buffer: Buffer, at: number, length: number): Promise<Buffer> {
    const { bytesRead } = await this.#handle.read(buffer, 0, length, at);
    return buffer.subarray(0, bytesRead);
  }

  /** The bytes right before the list of entries, where an APK's signature block ends. */
  async beforeDirectory(bytes: number): Promise<Buffer> {
    const length = Math.min(bytes, this.#directoryOffset);
    const buffer = Buffer.alloc(length);
    await this.#handle.read(buffer, 0, length, this.#directoryOffset - length);
    return buffer;
  }

  async close(): Promise<void> {
    this.#zip.close();
    await this.#handle.close();
  }
}

/** The size of an entry's own header in front of its data, without name and extra field. */
const LOCAL_HEADER_BYTES = 30;

/** Whether a name is absolute, has a backslash or NUL, or has a part `..`. */
function leadsOut(name: string): boolean {
  return /^\/|[\\\0]|^[A-Za-z]:/.test(name) || name.split('/').includes('..');
}

async function readEntries(zip: YauzlFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    // The name is decoded here, as the library refuses names that lead out of a folder. Real apps have such names, and no file is unpacked
    // to its own name.
    const name = entry.fileNameRaw.toString('utf8');
    // Two entries of one name could show one manifest to a checker and another one to the phone.
    if (entries.has(name)) throw notAnApk(`two entries named ${name.slice(0, 100)}`);
    entries.set(name, entry);
  }
  return entries;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'broken zip file';
}
