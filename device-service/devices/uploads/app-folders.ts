import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseUnavailable } from '../../../kit/errors/database-unavailable.js';

/** The name of the folder of libraries. No job has it as its id. */
const LIBRARY = 'library';

/**
 * Folders for files of apps that are on their way to a phone of this host: uploaded files, and the contents of bundles. The name of a
 * folder is the id of its job.
 *
 * A folder is removed when its job has ended. After a crash, a folder may have no job, or a job that is still at work. `sweep` runs at
 * the start and regularly. It removes each folder that neither a job at work nor an upload under way uses. The files of libraries are in a
 * folder beside them, which it leaves (devices/library/library-folder.ts).
 */
export class AppFolders {
  readonly #directory: string;
  /** Folders of uploads that have no job yet, and of other work of this process. */
  readonly #held = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The folder of the files of libraries, on the same disk, so that an upload is put there by a rename. */
  get library(): string {
    return join(this.#directory, LIBRARY);
  }

  /** Returns the path of a job's uploaded file. */
  upload(jobId: string): string {
    return join(this.#directory, jobId, 'upload');
  }

  /** Returns the folder of a job's APKs, when its app is a bundle. */
  unpacked(jobId: string): string {
    return join(this.#directory, jobId, 'apks');
  }

  /**
   * Creates the folder `name`, runs `use`, and removes the folder afterwards. With `keep`, the folder stays when `use` succeeds. With
   * `keep`, it also stays when the database is unavailable. Then nobody knows whether a job uses the folder, and the next sweep decides.
   */
  async hold<T>(name: string, use: () => Promise<T>, { keep = false } = {}): Promise<T> {
    this.#held.add(name);
    let kept = false;
    try {
      await mkdir(join(this.#directory, name), { recursive: true, mode: 0o700 });
      const result = await use();
      kept = keep;
      return result;
    } catch (error) {
      kept = keep && databaseUnavailable(error) !== undefined;
      throw error;
    } finally {
      this.#held.delete(name);
      if (!kept) await this.remove(name);
    }
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#directory, name), { recursive: true, force: true });
  }

  /** Removes the folders that are not in use. `atWork` returns the ids of the host's jobs that are at work. */
  async sweep(atWork: () => Promise<ReadonlySet<string>>): Promise<void> {
    // Folders are listed before jobs, because an upload creates its folder before its job. So a folder whose job begins meanwhile is found
    // to be in use.
    const found = await readdir(this.#directory).catch(noneYet);
    const unheld = found.filter((name) => name !== LIBRARY && !this.#held.has(name));
    if (unheld.length === 0) return;
    const kept = await atWork();
    for (const name of unheld) if (!kept.has(name)) await this.remove(name);
  }
}

function noneYet(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
