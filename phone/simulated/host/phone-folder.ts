import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyTree } from './copy-tree.js';
import type { PhoneSpec } from '../../driver.js';

/**
 * Where simulated phones are kept: `phones/<phone id>/phone.json` says what a phone is, `phones/<phone id>/state/` is everything
 * inside it, `snapshots/<snapshot id>/state/` is a copy of that. What comes or goes as a whole does so by one rename, under a name
 * that begins with a dot until then; leftovers of a crash are removed by `clean`.
 */
export class PhoneFolder {
  readonly #phones: string;
  readonly #snapshots: string;

  constructor(directory: string) {
    this.#phones = join(directory, 'phones');
    this.#snapshots = join(directory, 'snapshots');
  }

  /** Makes the folders and removes what a crash left half done. */
  async clean(): Promise<void> {
    for (const folder of [this.#phones, this.#snapshots]) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const name of await readdir(folder)) {
        if (name.startsWith('.')) await rm(join(folder, name), { recursive: true, force: true });
      }
    }
  }

  /** The phone's own directory. */
  statePath(phoneId: string): string {
    return join(this.#phones, plain(phoneId), 'state');
  }

  async create(phone: PhoneSpec): Promise<void> {
    if ((await this.read(phone.phoneId)) !== undefined) return;
    await this.#appear(join(this.#phones, plain(phone.phoneId)), async (path) => {
      await mkdir(join(path, 'state'), { recursive: true });
      await writeFile(join(path, 'phone.json'), JSON.stringify(phone));
    });
  }

  /** Undefined when there is no such phone. */
  async read(phoneId: string): Promise<PhoneSpec | undefined> {
    try {
      return JSON.parse(await readFile(join(this.#phones, plain(phoneId), 'phone.json'), 'utf8')) as PhoneSpec;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Ids of the phones that exist. */
  async list(): Promise<string[]> {
    return (await readdir(this.#phones)).filter((name) => !name.startsWith('.'));
  }

  async change(phone: PhoneSpec): Promise<void> {
    const path = join(this.#phones, plain(phone.phoneId), 'phone.json');
    await writeFile(`${path}.new`, JSON.stringify(phone));
    await rename(`${path}.new`, path);
  }

  async delete(phoneId: string): Promise<void> {
    await this.#vanish(join(this.#phones, plain(phoneId)));
  }

  /** Answers the size of the copy in bytes. A snapshot that exists is kept. */
  async snapshot(phoneId: string, snapshotId: string): Promise<number> {
    const target = join(this.#snapshots, plain(snapshotId));
    if (!(await exists(target)))
      await this.#appear(target, (path) => copyTree(this.statePath(phoneId), join(path, 'state')));
    return sizeOf(target);
  }

  /** The present state goes when the copy is whole: until then a failure leaves it as it is. */
  async restore(phoneId: string, snapshotId: string): Promise<void> {
    const state = this.statePath(phoneId);
    const fresh = hiddenPath(state, 'new');
    await rm(fresh, { recursive: true, force: true });
    await copyTree(join(this.#snapshots, plain(snapshotId), 'state'), fresh);
    await this.#vanish(state);
    await rename(fresh, state);
  }

  async clone(snapshotId: string, phone: PhoneSpec): Promise<void> {
    if ((await this.read(phone.phoneId)) !== undefined) return;
    await this.#appear(join(this.#phones, plain(phone.phoneId)), async (path) => {
      await copyTree(join(this.#snapshots, plain(snapshotId), 'state'), join(path, 'state'));
      await writeFile(join(path, 'phone.json'), JSON.stringify(phone));
    });
  }

  async deleteSnapshot(snapshotId: string): Promise<void> {
    await this.#vanish(join(this.#snapshots, plain(snapshotId)));
  }

  async #appear(path: string, make: (path: string) => Promise<void>): Promise<void> {
    const hidden = hiddenPath(path, 'new');
    await rm(hidden, { recursive: true, force: true });
    await make(hidden);
    await rename(hidden, path);
  }

  async #vanish(path: string): Promise<void> {
    const hidden = hiddenPath(path, 'old');
    await rm(hidden, { recursive: true, force: true });
    try {
      await rename(path, hidden);
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    await rm(hidden, { recursive: true, force: true });
  }
}

/** Ids are made by the service; anything else must not become a path. */
function plain(id: string): string {
  if (!/^[a-z0-9_-]{1,64}$/i.test(id)) throw new Error(`not an id: ${id.slice(0, 80)}`);
  return id;
}

function hiddenPath(path: string, suffix: string): string {
  return join(path, '..', `.${path.slice(path.lastIndexOf('/') + 1)}.${suffix}`);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function sizeOf(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
