import { open, stat, type FileHandle } from 'node:fs/promises';
import yauzl, { type Entry, type ZipFile as YauzlFile } from 'yauzl';
import { ApkError, notAnApk } from './apk-error.js';
import type { ApkLimits } from './apk-limits.js';

/** The entries of a zip file and the content of small ones. Nothing is unpacked that was not asked for. */
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
    // prettier-ignore
    this.#zip = parts.zip;
    this.#limits = parts.limits;
    this.#entries = parts.entries;
    this.#handle = parts.handle;
    this.#directoryOffset = parts.directoryOffset;
  }

  /** Throws ApkError for what is not a zip file or is over a limit. The caller closes it. */
  static async open(path: string, limits: ApkLimits): Promise<ZipFile> {
    const { size } = await stat(path);
    if (size > limits.fileBytes)
      throw new ApkError('INSTALL_FAILED_INVALID_APK', `APK is over ${limits.fileBytes} bytes`);
    const handle = await open(path, 'r');
    try {
      const zip = await yauzl.openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false });
      try {
        if (zip.entryCount > limits.entries) throw new ApkError('INSTALL_FAILED_INVALID_APK', `APK has over ${limits.entries} entries`); // prettier-ignore
        // Where the list of entries begins, until the first one is read; the type package has it as a boolean.
        const directoryOffset = zip.readEntryCursor as unknown as number;
        return new ZipFile({ zip, limits, entries: await readEntries(zip, limits), handle, directoryOffset });
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

  /** Undefined when there is no such entry. Throws ApkError when it is too large, packed too tightly or broken. */
  async read(name: string, maxBytes: number): Promise<Buffer | undefined> {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    const { uncompressedSize, compressedSize } = entry;
    if (uncompressedSize > maxBytes)
      throw new ApkError('INSTALL_FAILED_INVALID_APK', `${name} is over ${maxBytes} bytes`);
    const isBomb =
      uncompressedSize > this.#limits.ratioFreeBytes && uncompressedSize > compressedSize * this.#limits.ratio;
    if (isBomb)
      throw new ApkError('INSTALL_FAILED_INVALID_APK', `${name} unpacks to over ${this.#limits.ratio} times its size`);
    if (entry.isEncrypted()) throw notAnApk(`${name} is encrypted`);
    try {
      const parts: Buffer[] = [];
      let bytes = 0;
      for await (const part of await this.#zip.openReadStreamPromise(entry)) {
        if (!Buffer.isBuffer(part)) throw notAnApk(`${name} cannot be read`);
        bytes += part.length;
        // yauzl checks the announced size as well; this holds even if it did not.
        if (bytes > maxBytes) throw new ApkError('INSTALL_FAILED_INVALID_APK', `${name} is over ${maxBytes} bytes`);
        parts.push(part);
      }
      return Buffer.concat(parts);
    } catch (error) {
      throw error instanceof ApkError ? error : notAnApk(`${name}: ${reasonOf(error)}`);
    }
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

async function readEntries(zip: YauzlFile, limits: ApkLimits): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    // Decoded here, as the library refuses names that lead out of a folder: real apps have some, and nothing is unpacked by name.
    const name = entry.fileNameRaw.toString('utf8');
    // Two entries of one name are how one manifest is shown to a checker and another one to the phone.
    if (entries.has(name)) throw notAnApk(`two entries named ${name.slice(0, 100)}`);
    entries.set(name, entry);
    if (entries.size > limits.entries) throw new ApkError('INSTALL_FAILED_INVALID_APK', `APK has over ${limits.entries} entries`); // prettier-ignore
  }
  return entries;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'broken zip file';
}
