import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import { unlessMissing } from '../files/path-exists.js';

/** The file in a phone's folder with its project's id. It is about this host, and stays behind when the phone moves. */
export const PROJECT_FILE = 'project';

/** The first project id of all services. Container engines and Kubernetes count from 1 and from 1,048,577. */
const FIRST_PROJECT = 2 ** 30;
/** Ids that one service uses. Services with phones on the same file system have windows of their own, by the hash of their folders. */
const WINDOW_IDS = 2 ** 16;
const WINDOWS = 2 ** 14;

/**
 * The project of each phone, as a number in a file of the phone's folder. An id is free when no phone has it, and no file of the file system.
 * The folder itself is not asked for its project, as the root of a phone could give it that of another phone.
 *
 * A kill -9 leaves no id taken: the file appears and vanishes with the phone's folder, or with the scratch folder that `clean` removes.
 */
export class ProjectIds {
  readonly #phones: string;
  readonly #first: number;
  readonly #lock = new KeyedLock();

  /** `phones` is the folder with the folders of phones, without links in its path. */
  constructor(phones: string) {
    this.#phones = phones;
    this.#first = FIRST_PROJECT + (createHash('sha256').update(phones).digest().readUInt32BE() % WINDOWS) * WINDOW_IDS;
  }

  /** Returns the project of a phone; undefined where the phone has none of this service. */
  async read(home: string): Promise<number | undefined> {
    const text = await shortText(join(home, PROJECT_FILE)).catch(unlessMissing);
    const id = text === undefined || !/^\d{1,10}\n$/.test(text) ? -1 : Number(text);
    return id >= this.#first && id < this.#first + WINDOW_IDS ? id : undefined;
  }

  /** Gives a phone a project that is free. `findUsed` returns the projects that have files. */
  choose(home: string, findUsed: () => Promise<ReadonlySet<number>>): Promise<number> {
    return this.#lock.run('choose', async () => {
      const used = await findUsed();
      const owned = await this.#owned();
      for (let id = this.#first; id < this.#first + WINDOW_IDS; id++) {
        if (used.has(id) || owned.has(id)) continue;
        const path = join(home, PROJECT_FILE);
        await writeFile(`${path}.new`, `${id}\n`, { mode: 0o600, flush: true });
        await rename(`${path}.new`, path);
        return id;
      }
      throw new Error(`all ${WINDOW_IDS} project ids of this service are in use`);
    });
  }

  /** Returns the projects of all phones, and of those that are being made. */
  async #owned(): Promise<Set<number>> {
    const owned = new Set<number>();
    for (const folder of [this.#phones, join(this.#phones, '.scratch')]) {
      for (const name of (await readdir(folder).catch(unlessMissing)) ?? []) {
        // A folder that vanishes meanwhile, or is none, has no project.
        const id = await this.read(join(folder, name)).catch(() => undefined);
        if (id !== undefined) owned.add(id);
      }
    }
    return owned;
  }
}

/** Returns the beginning of a file; '' for what is no file, such as a link or a pipe, which could hold up its reader. */
async function shortText(path: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return undefined;
    throw error;
  });
  if (file === undefined) return '';
  try {
    if (!(await file.stat()).isFile()) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
