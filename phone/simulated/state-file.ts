import fs from 'node:fs';
import path from 'node:path';

/**
 * A small JSON file that is read once and written whole, by rename, before `write` returns: what a client was sent is
 * there after a kill -9.
 */
export class StateFile<T> {
  readonly #path: string;

  constructor(filePath: string) {
    this.#path = filePath;
  }

  /** Undefined when it was never written. Throws when it is there and is not JSON. */
  read(): T | undefined {
    try {
      return JSON.parse(fs.readFileSync(this.#path, 'utf8')) as T;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  write(value: T): void {
    fs.mkdirSync(path.dirname(this.#path), { recursive: true });
    const temporary = `${this.#path}.new`;
    fs.writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
    fs.renameSync(temporary, this.#path);
  }
}
