import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import { type OperationOptions, PhoneFailure } from '../driver.js';
import { copyTree } from '../files/copy-tree.js';
import { diskUsage } from '../files/disk-usage.js';
import { flushDisk } from '../files/flush-disk.js';
import { describeTree, firstDifference, type Manifest, TooManyFiles } from '../files/manifest.js';
import { RESERVE_DISK_MB } from '../files/measure-capacity.js';
import { isDiskFull, NoRoom } from '../files/no-room.js';
import { pathExists, unlessMissing } from '../files/path-exists.js';
import { removeTree } from '../files/remove-tree.js';
import type { ImageBasedPhone, PhoneFolders } from './phone-folders.js';

const DATA = 'data';
const PHONE_FILE = 'phone.json';
/** The id of the job that made the copy. */
const JOB_FILE = 'job';
const MIB = 1024 * 1024;
/** The progress when all files are copied. After that, the copy and the phone are read for their checksums. */
const COPIED_PERCENT = 60;

export interface KeptPhonesParts {
  /** The driver's folder, which has the folder `kept/`. It is on the disk of the phones, so that data is put back by a rename. */
  directory: string;
  folders: PhoneFolders;
  /** Returns the free room of that disk, MiB. */
  freeDiskMb: () => Promise<number>;
}

/**
 * Copies of phones that get another image: `kept/<phone id>/data/` and the description that the phone had. A copy appears and vanishes
 * whole, by one rename from or to `.scratch`. It is no snapshot, so no customer sees it, and no quota counts it.
 */
export class KeptPhones {
  readonly #parts: KeptPhonesParts;
  readonly #directory: string;
  readonly #scratch: string;
  readonly #copying = new KeyedLock();

  constructor(parts: KeptPhonesParts) {
    this.#parts = parts;
    this.#directory = join(parts.directory, 'kept');
    this.#scratch = join(this.#directory, '.scratch');
  }

  /** Removes what a crash left half done, and copies of phones that do not exist. Call it first, from the only process of the folder. */
  async clean(phoneIds: ReadonlySet<string>): Promise<void> {
    await removeTree(this.#scratch);
    for (const phoneId of await this.#list()) if (!phoneIds.has(phoneId)) await this.drop(phoneId);
  }

  /** Returns the descriptions that the phones with a copy had. */
  async list(): Promise<ImageBasedPhone[]> {
    const found = await Promise.all((await this.#list()).map((phoneId) => this.find(phoneId)));
    return found.filter((phone) => phone !== undefined);
  }

  /** Returns the description that the phone had, with the place of the copied data; undefined where there is no copy. */
  async find(phoneId: string): Promise<ImageBasedPhone | undefined> {
    const path = this.#path(phoneId);
    const text = await readFile(join(path, PHONE_FILE), 'utf8').catch(unlessMissing);
    if (text === undefined) return undefined;
    return { ...(JSON.parse(text) as Omit<ImageBasedPhone, 'data'>), data: join(path, DATA) };
  }

  /**
   * Copies a phone that is off, for a job. A copy that the job has made is left as it is: it is whole, and the phone may have another image
   * by now. One of an earlier job, which ended without its phone, has old data, and is made again. Copies are made one after the other, as
   * each looks for room first. Throws PhoneFailure where the disk would have less than its reserve.
   */
  keep(phone: ImageBasedPhone, jobId: string, options: OperationOptions = {}): Promise<void> {
    return this.#copying.run('', () => this.#keep(phone, jobId, options));
  }

  async #keep({ data, ...phone }: ImageBasedPhone, jobId: string, options: OperationOptions): Promise<void> {
    const { signal, onProgress } = options;
    const path = this.#path(phone.phoneId);
    if ((await readFile(join(path, JOB_FILE), 'utf8').catch(unlessMissing)) === jobId) return;
    await this.drop(phone.phoneId);
    await this.#assertRoom(data);
    const made = join(this.#scratch, phone.phoneId);
    await removeTree(made);
    await mkdir(join(made, DATA), { recursive: true, mode: 0o700 });
    try {
      const onCopied = (percent: number): void => onProgress?.((percent * COPIED_PERCENT) / 100);
      await copyTree(data, join(made, DATA), { signal, onProgress: onCopied });
      const different = firstDifference(await described(data, signal), await described(join(made, DATA), signal));
      if (different !== undefined) throw new Error('the copy of a phone differs from the phone');
      await writeFile(join(made, PHONE_FILE), JSON.stringify(phone, undefined, 1), { mode: 0o600 });
      await writeFile(join(made, JOB_FILE), jobId, { mode: 0o600 });
      // The comparison read the copy from memory. A new image can make the kernel panic, and the copy must be on the disk then.
      await flushDisk(made);
      await rename(made, path);
      onProgress?.(100);
    } catch (error) {
      await removeTree(made);
      throw isDiskFull(error) ? new NoRoom(error) : error;
    }
  }

  /**
   * Puts data and description of the copy back, and removes the copy. The data comes first. After a crash in between, the phone has its old
   * data, and the next call writes the description.
   */
  async putBack(phoneId: string): Promise<void> {
    const kept = await this.find(phoneId);
    if (kept === undefined) return;
    await this.#parts.folders.takeData(phoneId, kept.data);
    await this.#parts.folders.replace(kept);
    await this.drop(phoneId);
  }

  async drop(phoneId: string): Promise<void> {
    const path = this.#path(phoneId);
    if (!(await pathExists(path))) return;
    await mkdir(this.#scratch, { recursive: true, mode: 0o700 });
    const gone = join(this.#scratch, `${phoneId}.old`);
    await removeTree(gone);
    await rename(path, gone);
    await removeTree(gone);
  }

  async #assertRoom(data: string): Promise<void> {
    const neededMb = Math.ceil((await diskUsage(data)) / MIB) + RESERVE_DISK_MB;
    const freeMb = await this.#parts.freeDiskMb();
    if (freeMb >= neededMb) return;
    throw new PhoneFailure(
      `There is too little room on the disk of the host for a copy of the phone: it needs ${neededMb} MiB, and ${freeMb} MiB are free.`,
    );
  }

  async #list(): Promise<string[]> {
    const names = (await readdir(this.#directory).catch(unlessMissing)) ?? [];
    return names.filter((name) => !name.startsWith('.'));
  }

  #path(phoneId: string): string {
    if (!/^[a-z0-9_-]{1,64}$/i.test(phoneId)) throw new Error(`not a phone id: ${phoneId.slice(0, 80)}`);
    return join(this.#directory, phoneId);
  }
}

async function described(data: string, signal: AbortSignal | undefined): Promise<Manifest> {
  try {
    return await describeTree(data, { owners: true, signal });
  } catch (error) {
    if (!(error instanceof TooManyFiles)) throw error;
    throw new PhoneFailure('The phone has too many files for a copy.', { cause: error });
  }
}
