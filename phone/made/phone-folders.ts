import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PhoneSpec } from '../driver.js';
import { pathExists, unlessMissing } from '../files/path-exists.js';
import { removeTree } from '../files/remove-tree.js';
import type { MadeModel } from './made-model.js';

/** A phone that was made, as its folder describes it. */
export interface MadePhone extends PhoneSpec {
  /** As it was when the phone was made: a later MODELS_FILE changes new phones only. */
  made: MadeModel;
  /** Digest of the image that it was made of. */
  digest: string;
  /** The serial number of its Android, where the engine can choose it. */
  serial: string;
  /** Whether the last operation powered it on. */
  on: boolean;
  /** Its last boot that was done, with the engine's word for that start: a restarted service need not find that out again. */
  booted?: { start: string; identity: string };
  /** The phone's data was copied from another phone and has not booted since, so it still contains the other phone's ANDROID_ID. */
  cloned?: boolean;
  /** The folder of its data, the only part that snapshots hold. Not in the file. */
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

  constructor(directory: string) {
    this.#directory = directory;
    this.#scratch = join(directory, '.scratch');
  }

  /** To be called before anything else, by the only process that uses the directory. */
  async clean(): Promise<void> {
    await mkdir(this.#scratch, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#scratch)) {
      const phoneId = name.endsWith(RESTORED) ? name.slice(0, -RESTORED.length) : undefined;
      const isDue =
        phoneId !== undefined && (await pathExists(this.path(phoneId))) && !(await pathExists(this.data(phoneId)));
      // A crash between the two renames of a restore: the old data is gone, and the new one whole.
      if (isDue) await rename(join(this.#scratch, name), this.data(phoneId));
      else await removeTree(join(this.#scratch, name));
    }
  }

  path(phoneId: string): string {
    if (!/^[a-z0-9_-]{1,64}$/i.test(phoneId)) throw new Error(`not a phone id: ${phoneId.slice(0, 80)}`);
    return join(this.#directory, phoneId);
  }

  async list(): Promise<string[]> {
    return (await readdir(this.#directory)).filter((name) => !name.startsWith('.'));
  }

  /** A phone's description, also where its data is lost. Undefined where there is no such phone. Throws DamagedPhone. */
  async describe(phoneId: string): Promise<MadePhone | undefined> {
    const text = await readFile(join(this.path(phoneId), PHONE_FILE), 'utf8').catch(unlessMissing);
    if (text === undefined && !(await pathExists(this.path(phoneId)))) return undefined;
    const phone = text === undefined ? undefined : parsed(text);
    if (phone?.phoneId === phoneId) return { ...phone, data: this.data(phoneId) };
    throw new DamagedPhone('The description of the phone is damaged. Delete the device.');
  }

  /** The same; throws DamagedPhone also where its data is lost. */
  async read(phoneId: string): Promise<MadePhone | undefined> {
    const phone = await this.describe(phoneId);
    if (phone === undefined || (await pathExists(phone.data))) return phone;
    throw new DamagedPhone("The phone's files are lost. Restore a snapshot, or delete the device.");
  }

  /** Makes the folder of a phone; `fill` puts the data into it. One that exists is left as it is. */
  async create(phone: Omit<MadePhone, 'data'>, fill: (phone: MadePhone) => Promise<void>): Promise<void> {
    const path = this.path(phone.phoneId);
    if (await pathExists(path)) return;
    const scratch = await this.#emptyScratch(`${phone.phoneId}.new`);
    const data = join(scratch, DATA);
    await mkdir(data, { mode: 0o771 });
    try {
      await fill({ ...phone, data });
      await writeFile(join(scratch, PHONE_FILE), JSON.stringify(phone, undefined, 1), { mode: 0o600, flush: true });
      await rename(scratch, path);
    } catch (error) {
      await removeTree(scratch);
      throw error;
    }
  }

  /** Replaces parts of a phone's description. Durable when it returns. */
  async change(phone: MadePhone, parts: Partial<Omit<MadePhone, 'phoneId' | 'data'>>): Promise<MadePhone> {
    const { data, ...described } = { ...phone, ...parts };
    const path = join(this.path(phone.phoneId), PHONE_FILE);
    await writeFile(`${path}.new`, JSON.stringify(described, undefined, 1), { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
    return { ...described, data };
  }

  /** Replaces the data of a phone by what `fill` puts into an empty folder. Until that is whole, a failure leaves the data as it is. */
  async replaceData(phoneId: string, fill: (data: string) => Promise<void>): Promise<void> {
    const fresh = await this.#emptyScratch(`${phoneId}.new`);
    try {
      await fill(fresh);
    } catch (error) {
      await removeTree(fresh);
      throw error;
    }
    // This name only for data that is whole: `clean` gives it to a phone that has none.
    const restored = join(this.#scratch, `${phoneId}${RESTORED}`);
    await removeTree(restored);
    await rename(fresh, restored);
    const old = await this.#moveAway(this.data(phoneId), `${phoneId}.data`);
    await rename(restored, this.data(phoneId));
    await removeTree(old);
  }

  /** One that does not exist is no error. */
  async delete(phoneId: string): Promise<void> {
    await removeTree(await this.#moveAway(this.path(phoneId), `${phoneId}.old`));
  }

  /** Returns the place in the scratch folder; nothing is there where there was no such path. */
  async #moveAway(path: string, name: string): Promise<string> {
    const gone = join(this.#scratch, name);
    await removeTree(gone);
    await rename(path, gone).catch(unlessMissing);
    return gone;
  }

  async #emptyScratch(name: string): Promise<string> {
    const path = join(this.#scratch, name);
    await removeTree(path);
    await mkdir(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /** The folder of a phone's data. */
  data(phoneId: string): string {
    return join(this.path(phoneId), DATA);
  }
}

/** Of the scratch folder in which restored data is put together. */
const RESTORED = '.restored';

/** A phone whose folder is not whole; `message` is for the customer. */
export class DamagedPhone extends Error {
  override name = 'DamagedPhone';
}

function parsed(text: string): Omit<MadePhone, 'data'> | undefined {
  try {
    return JSON.parse(text) as Omit<MadePhone, 'data'>;
  } catch {
    return undefined;
  }
}
