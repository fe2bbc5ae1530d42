import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PhoneSpec } from '../driver.js';
import { type DiskLimits, measuredOnly } from '../disk-limits/disk-limits.js';
import { pathExists, unlessMissing } from '../files/path-exists.js';
import { removeTree } from '../files/remove-tree.js';
import { type Flush, flush as toDisk } from './flush.js';
import type { ImageBasedModel } from './model.js';

/** A phone that was made, as its folder describes it. */
export interface ImageBasedPhone extends PhoneSpec {
  /** The model as it was when the phone was made: a later MODELS_FILE changes new phones only. */
  made: ImageBasedModel;
  /** Digest of the image that it was made of. */
  digest: string;
  /** The name by which a registry has this image. Absent: none is known, or the phone was made by a release that did not note it. */
  source?: string;
  /** The serial number of its Android, where the engine can choose it. */
  serial: string;
  /** Whether the last operation powered it on. */
  on: boolean;
  /** The last boot that was completed, with the engine's word for that start. A restarted service need not check it again. */
  booted?: { start: string; identity: string };
  /**
   * The phone's data was copied from another phone, or is about to be, and has not booted since. So it still contains the other phone's
   * ANDROID_ID.
   */
  cloned?: boolean;
  /** Digests of images that the phone had before, oldest first. Its snapshots of these fit it, as their data has booted with a newer image. */
  earlier?: string[];
  /** The folder of the phone's data, the only part that snapshots hold. It is not stored in `phone.json`. */
  data: string;
}

const PHONE_FILE = 'phone.json';
const DATA = 'data';

/**
 * `<phone id>/phone.json` describes a phone, `<phone id>/data/` is what its Android wrote; other entries of the folder are the engine's.
 * A phone's folder appears and vanishes whole, by one rename from or to `.scratch`; the file is replaced whole. `clean` completes
 * the work that a crash cut off.
 */
export class PhoneFolders {
  readonly #directory: string;
  readonly #scratch: string;
  readonly #limits: DiskLimits;
  readonly #flush: Flush;

  /** `limits` bound the data of phones. Absent: something else bounds it, such as a volume. */
  constructor(directory: string, limits: DiskLimits = measuredOnly(''), flush: Flush = toDisk) {
    this.#directory = directory;
    this.#scratch = join(directory, '.scratch');
    this.#limits = limits;
    this.#flush = flush;
  }

  /** Completes or removes what a crash left. Call `clean` first, from the only process that uses the directory. */
  async clean(): Promise<void> {
    await mkdir(this.#scratch, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#scratch)) {
      const phoneId = name.endsWith(RESTORED) ? name.slice(0, -RESTORED.length) : undefined;
      const isDue =
        phoneId !== undefined && (await pathExists(this.path(phoneId))) && !(await pathExists(this.data(phoneId)));
      // A crash came between the two renames of a restore: the old data is moved away, and the new data is whole.
      if (isDue) await rename(join(this.#scratch, name), this.data(phoneId));
      else if (isData(name)) await removeTree(join(this.#scratch, name));
      else await this.#limits.remove(join(this.#scratch, name));
    }
  }

  path(phoneId: string): string {
    if (!/^[a-z0-9_-]{1,64}$/i.test(phoneId)) throw new Error(`not a phone id: ${phoneId.slice(0, 80)}`);
    return join(this.#directory, phoneId);
  }

  async list(): Promise<string[]> {
    return (await readdir(this.#directory)).filter((name) => !name.startsWith('.'));
  }

  /** Returns a phone's description, also where the data is lost. Undefined where there is no such phone. Throws DamagedPhone. */
  async describe(phoneId: string): Promise<ImageBasedPhone | undefined> {
    const text = await readFile(join(this.path(phoneId), PHONE_FILE), 'utf8').catch(unlessMissing);
    if (text === undefined && !(await pathExists(this.path(phoneId)))) return undefined;
    const phone = text === undefined ? undefined : parsed(text);
    if (phone?.phoneId === phoneId) return { ...phone, data: this.data(phoneId) };
    throw new DamagedPhone('The description of the phone is damaged. Delete the device.');
  }

  /** Returns a phone's description, as `describe` does. Throws DamagedPhone also where the phone's data is lost. */
  async read(phoneId: string): Promise<ImageBasedPhone | undefined> {
    const phone = await this.describe(phoneId);
    if (phone === undefined || (await pathExists(phone.data))) return phone;
    throw new DamagedPhone("The phone's files are lost. Restore a snapshot, or delete the device.");
  }

  /** Returns a phone's description, as `read` does. Undefined also where the phone is damaged, and needs another operation first. */
  async readWhole(phoneId: string): Promise<ImageBasedPhone | undefined> {
    try {
      return await this.read(phoneId);
    } catch (error) {
      if (error instanceof DamagedPhone) return undefined;
      throw error;
    }
  }

  /** Makes the folder of a phone; `fill` puts the data into it. A folder that exists is left as it is. */
  async create(phone: Omit<ImageBasedPhone, 'data'>, fill: (phone: ImageBasedPhone) => Promise<void>): Promise<void> {
    const path = this.path(phone.phoneId);
    if (await pathExists(path)) return;
    const scratch = await this.#emptyScratch(`${phone.phoneId}.new`);
    const data = join(scratch, DATA);
    await mkdir(data, { mode: 0o771 });
    try {
      await this.#limits.prepare({ home: scratch, data });
      await fill({ ...phone, data });
      await writeFile(join(scratch, PHONE_FILE), JSON.stringify(phone, undefined, 1), { mode: 0o600, flush: true });
      await rename(scratch, path);
    } catch (error) {
      await this.#limits.remove(scratch);
      throw error;
    }
  }

  /** Bounds the data of a phone that is off, before it starts. */
  async bound({ phoneId, data, made }: ImageBasedPhone): Promise<void> {
    await this.#limits.hold({ home: this.path(phoneId), data }, made.diskMb * 1024 ** 2);
  }

  /** Replaces parts of a phone's description. Durable when it returns. */
  async change(
    phone: ImageBasedPhone,
    parts: Partial<Omit<ImageBasedPhone, 'phoneId' | 'data'>>,
  ): Promise<ImageBasedPhone> {
    const changed = { ...phone, ...parts };
    await this.replace(changed);
    return changed;
  }

  /** Replaces all of a phone's description, by one rename. Durable when it returns. */
  async replace({ data: _, ...described }: ImageBasedPhone): Promise<void> {
    const path = join(this.path(described.phoneId), PHONE_FILE);
    await writeFile(`${path}.new`, JSON.stringify(described, undefined, 1), { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
  }

  /**
   * Replaces the data of a phone by what `fill` puts into an empty folder. Until that folder is whole and on the disk, a failure leaves the
   * data as it is. The old data is removed once the new data has its name on the disk too, so a loss of power leaves one of them.
   */
  async replaceData(phoneId: string, fill: (data: string) => Promise<void>): Promise<void> {
    const fresh = await this.#emptyScratch(`${phoneId}${FRESH}`);
    try {
      await this.#limits.prepare({ home: this.path(phoneId), data: fresh });
      await fill(fresh);
      await this.#flush.content(fresh);
    } catch (error) {
      await removeTree(fresh);
      throw error;
    }
    // Only whole data gets this name: `clean` moves data of this name to a phone that has none.
    const restored = join(this.#scratch, `${phoneId}${RESTORED}`);
    await removeTree(restored);
    await rename(fresh, restored);
    const old = await this.#moveAway(this.data(phoneId), `${phoneId}${OLD_DATA}`);
    await rename(restored, this.data(phoneId));
    await this.#flush.names(this.path(phoneId));
    await removeTree(old);
  }

  /**
   * Puts the folder `from` in the place of a phone's data. Does nothing once `from` is gone. After a crash in the middle the phone has no
   * data, and another call completes it.
   */
  async takeData(phoneId: string, from: string): Promise<void> {
    if (!(await pathExists(from))) return;
    const old = await this.#moveAway(this.data(phoneId), `${phoneId}${OLD_DATA}`);
    await rename(from, this.data(phoneId));
    await removeTree(old);
  }

  /** Deletes a phone. A phone that does not exist is no error. */
  async delete(phoneId: string): Promise<void> {
    await this.#limits.remove(await this.#moveAway(this.path(phoneId), `${phoneId}.old`));
  }

  /** Moves a path into the scratch folder, and returns its new place. If the path did not exist, nothing is there. */
  async #moveAway(path: string, name: string): Promise<string> {
    const gone = join(this.#scratch, name);
    if (isData(name)) await removeTree(gone);
    else await this.#limits.remove(gone);
    await rename(path, gone).catch(unlessMissing);
    return gone;
  }

  async #emptyScratch(name: string): Promise<string> {
    const path = join(this.#scratch, name);
    if (isData(name)) await removeTree(path);
    else await this.#limits.remove(path);
    await mkdir(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /** The folder of a phone's data. */
  data(phoneId: string): string {
    return join(this.path(phoneId), DATA);
  }
}

/** Ends of the names of scratch folders that are the data of a phone: being filled, whole, and replaced. */
const FRESH = '.fresh';
const RESTORED = '.restored';
const OLD_DATA = '.data';

/**
 * Whether a scratch folder is the data of a phone. The root of that phone has written it, so nothing in it is read as a file of the service.
 */
function isData(name: string): boolean {
  return [FRESH, RESTORED, OLD_DATA].some((end) => name.endsWith(end));
}

/** A phone whose folder is not whole; `message` is for the customer. */
export class DamagedPhone extends Error {
  override name = 'DamagedPhone';
}

function parsed(text: string): Omit<ImageBasedPhone, 'data'> | undefined {
  try {
    return JSON.parse(text) as Omit<ImageBasedPhone, 'data'>;
  } catch {
    return undefined;
  }
}
