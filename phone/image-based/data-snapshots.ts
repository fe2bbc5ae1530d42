import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull, NoRoom } from '../files/no-room.js';
import { CopyFailure, type CopyOptions, copyTree } from '../files/copy-tree.js';
import {
  describeTree,
  firstDifference,
  type Manifest,
  readManifest,
  TooManyFiles,
  writeManifest,
} from '../files/manifest.js';
import { pathExists, unlessMissing } from '../files/path-exists.js';
import { removeTree } from '../files/remove-tree.js';
import { type OperationOptions, PhoneFailure, type TakenSnapshot } from '../driver.js';
import { type Flush, flush as toDisk } from './flush.js';
import type { ImageBasedPhone } from './phone-folders.js';

const MANIFEST = 'manifest.json';
const IMAGE = 'image.txt';
const DATA = 'data';
/** The progress at which all files are copied. After that, the files are read for their checksums. */
const COPIED_PERCENT = 70;

/**
 * Copies of the data of phones that were off: `<snapshot id>/data/`, with the checksum of each file and the digest of the phone's image
 * beside it. Only phones of the same image get the data, as Android of another image might destroy it or not start with it. A phone that was upgraded
 * also gets data of its earlier images. A snapshot
 * appears and vanishes whole, by one rename from or to `.scratch`. It is on the disk when `take` or `copy` returns, as the database then
 * records that it is ready. After a crash before the rename, `clean` removes what was made, and the call is made again.
 */
export class DataSnapshots {
  readonly #directory: string;
  readonly #scratch: string;
  readonly #flush: Flush;

  constructor(directory: string, flush: Flush = toDisk) {
    this.#directory = directory;
    this.#flush = flush;
    this.#scratch = join(directory, '.scratch');
  }

  /** Removes what a crash left half done. Call it first, from the only process that uses the directory. */
  async clean(): Promise<void> {
    await removeTree(this.#scratch);
    await mkdir(this.#scratch, { recursive: true, mode: 0o700 });
  }

  /** Saves the data of a phone that is off. A snapshot that exists is kept. */
  async take(
    phone: Pick<ImageBasedPhone, 'data' | 'digest'>,
    snapshotId: string,
    { signal, onProgress }: OperationOptions,
  ): Promise<TakenSnapshot> {
    const path = this.#path(snapshotId);
    if (!(await pathExists(path))) {
      const made = join(this.#scratch, snapshotId);
      await removeTree(made);
      await mkdir(join(made, DATA), { recursive: true, mode: 0o700 });
      try {
        await unlessFull(async () => {
          const onCopied = (percent: number): void => onProgress?.((percent * COPIED_PERCENT) / 100);
          await copyTree(phone.data, join(made, DATA), { signal, onProgress: onCopied });
          await writeManifest(join(made, MANIFEST), await describe(join(made, DATA), signal));
          await writeFile(join(made, IMAGE), phone.digest);
        });
        await this.#appear(made, path);
      } catch (error) {
        await removeTree(made);
        throw error;
      }
    }
    return this.#factsOf(path);
  }

  /**
   * Keeps a snapshot a second time, by hard links: nothing writes into a snapshot. `from` is the folder of the first one, which may be on
   * another disk; then its files are copied. A copy that exists is kept.
   */
  async copy(
    snapshotId: string,
    copyId: string,
    { signal, onProgress }: OperationOptions,
    from: DataSnapshots = this,
  ): Promise<TakenSnapshot> {
    const [source, path] = [from.#path(snapshotId), this.#path(copyId)];
    if (!(await pathExists(path))) {
      if (!(await pathExists(source))) throw lost();
      const made = join(this.#scratch, copyId);
      try {
        await unlessFull(() => linkOrCopy(source, made, { signal, onProgress }));
        await this.#appear(made, path);
      } catch (error) {
        await removeTree(made);
        throw error;
      }
    }
    return this.#factsOf(path);
  }

  /** Returns the digest of the image that the phone of a snapshot had. */
  async imageOf(snapshotId: string): Promise<string> {
    const image = await readFile(join(this.#path(snapshotId), IMAGE), 'utf8').catch(unlessMissing);
    if (image === undefined) throw lost();
    return image;
  }

  has(snapshotId: string): Promise<boolean> {
    return pathExists(this.#path(snapshotId));
  }

  /** Reads all of a snapshot; throws PhoneFailure unless it is as it was saved. */
  async check(snapshotId: string, { signal }: OperationOptions = {}): Promise<void> {
    const path = this.#path(snapshotId);
    if (!(await pathExists(path))) throw lost();
    const saved = await readManifest(join(path, MANIFEST));
    if (saved === undefined) throw damaged('its list of checksums');
    if (!(await pathExists(join(path, DATA)))) throw lost();
    const different = firstDifference(saved, await describe(join(path, DATA), signal));
    if (different !== undefined) throw damaged(`the file ${different.slice(0, 200)}`);
  }

  /**
   * Copies the data of a snapshot into the empty folder `to`, for a phone that has, or had, an image of `digests`. Throws PhoneFailure for
   * another image.
   */
  async copyTo(snapshotId: string, digests: readonly string[], to: string, options: OperationOptions): Promise<void> {
    const path = this.#path(snapshotId);
    if (!(await pathExists(path))) throw lost();
    const imageOfSnapshot = await readFile(join(path, IMAGE), 'utf8');
    if (!digests.includes(imageOfSnapshot)) throw new PhoneFailure(otherImage());
    await unlessFull(() => copyTree(join(path, DATA), to, options));
  }

  async list(): Promise<string[]> {
    return (await readdir(this.#directory)).filter((name) => !name.startsWith('.'));
  }

  async delete(snapshotId: string): Promise<void> {
    const gone = join(this.#scratch, `${snapshotId}.old`);
    await removeTree(gone);
    await rename(this.#path(snapshotId), gone).catch(unlessMissing);
    await removeTree(gone);
  }

  /** Gives a snapshot that is whole its name. Its content comes first: a rename may be on the disk long before what was written to files. */
  async #appear(made: string, path: string): Promise<void> {
    await this.#flush.content(made);
    await rename(made, path);
    await this.#flush.names(this.#directory);
  }

  async #factsOf(path: string): Promise<TakenSnapshot> {
    const manifest = await readManifest(join(path, MANIFEST));
    if (manifest === undefined) throw damaged('its list of checksums');
    return { sizeBytes: manifest.sizeBytes, checksum: manifest.checksum };
  }

  #path(snapshotId: string): string {
    if (!/^[a-z0-9_-]{1,64}$/i.test(snapshotId)) throw new Error(`not a snapshot id: ${snapshotId.slice(0, 80)}`);
    return join(this.#directory, snapshotId);
  }
}

/** Describes the files with their owners, as Android's files belong to several users of its own. */
async function describe(data: string, signal: AbortSignal | undefined): Promise<Manifest> {
  try {
    return await describeTree(data, { owners: true, signal });
  } catch (error) {
    if (!(error instanceof TooManyFiles)) throw error;
    throw new PhoneFailure('The phone has too many files for a snapshot. Delete some and try again.', { cause: error });
  }
}

/** Makes the folder `made` with all files of `source`: by hard links on the same disk, unless a file has too many names. */
async function linkOrCopy(source: string, made: string, options: CopyOptions): Promise<void> {
  for (const link of [true, false]) {
    await removeTree(made);
    await mkdir(made, { recursive: true, mode: 0o700 });
    if (link && (await stat(made)).dev !== (await stat(source)).dev) continue;
    try {
      await copyTree(source, made, { ...options, link });
      return;
    } catch (error) {
      if (!link || !(error instanceof CopyFailure) || error.noRoom) throw error;
    }
  }
}

/** A full disk is reported to the customer, as a retry would fail too. */
async function unlessFull(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw isDiskFull(error) ? new NoRoom(error) : error;
  }
}

export function otherImage(): string {
  return 'The snapshot was taken of another image of Android, which the operator has replaced since. It can only be deleted.';
}

function lost(): PhoneFailure {
  return new PhoneFailure('The files of the snapshot are not on the host of its phone any more. Delete it.');
}

function damaged(what: string): PhoneFailure {
  return new PhoneFailure(`The snapshot is damaged: ${what} is not as it was saved. Delete it.`);
}
