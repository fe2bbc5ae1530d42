import { KeyedLock } from '../../kit/async/keyed-lock.js';
import type { PhoneFiles } from '../system/system.js';

/**
 * A list that an app keeps as one JSON file. The whole file is replaced, so that a finished change survives a kill of the process. Changes
 * are made one after the other, so that two quick changes do not overwrite each other.
 */
export class JsonList<T> {
  readonly #files: PhoneFiles;
  readonly #path: string;
  readonly #lock = new KeyedLock();

  constructor(files: PhoneFiles, path: string) {
    this.#files = files;
    this.#path = path;
  }

  /** Returns the list; undefined when it was never written. */
  async read(): Promise<T[] | undefined> {
    try {
      const parsed: unknown = JSON.parse((await this.#files.read(this.#path)).toString('utf8'));
      if (!Array.isArray(parsed)) throw new Error(`${this.#path} does not hold a list`);
      return parsed as T[];
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Writes the list that `edit` returns, unless `edit` returned the list that it got. Returns the list. */
  change(edit: (list: T[] | undefined) => T[]): Promise<T[]> {
    return this.#lock.run(this.#path, async () => {
      const before = await this.read();
      const after = edit(before);
      if (after !== before) await this.#files.write(this.#path, JSON.stringify(after));
      return after;
    });
  }
}
