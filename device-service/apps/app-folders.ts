import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseUnavailable } from '../../kit/database-unavailable.js';

/**
 * Folders for files of apps that are on their way to a phone of this host: uploaded files, and the contents of bundles. Each is
 * named by the job that it is for.
 *
 * A folder is removed when its job has ended. A crash may leave one without a job, or with one that is going on: `sweep`, at the start
 * and regularly, removes those that neither a job at work nor an upload under way has.
 */
export class AppFolders {
  readonly #directory: string;
  /** Of uploads that have no job yet, and of other work of this process. */
  readonly #held = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Where the uploaded file of a job is. */
  upload(jobId: string): string {
    return join(this.#directory, jobId, 'upload');
  }

  /** Where its APKs are, when it is a bundle. */
  unpacked(jobId: string): string {
    return join(this.#directory, jobId, 'apks');
  }

  /**
   * Runs `use` with a folder of its own, which is removed afterwards; with `keep`, only when `use` fails. Where it fails because the
   * database is unavailable, it is not known whether a job uses the folder: then it is left to the next sweep.
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
    // In this order, which is the way an upload goes: one that becomes a job meanwhile is found all the same.
    const found = await readdir(this.#directory).catch(noneYet);
    const unheld = found.filter((name) => !this.#held.has(name));
    if (unheld.length === 0) return;
    const kept = await atWork();
    for (const name of unheld) if (!kept.has(name)) await this.remove(name);
  }
}

function noneYet(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
