import fs from 'node:fs';
import path from 'node:path';

/**
 * A small JSON file that is read once and written whole, by rename, before `write` returns: a change that a client was
 * notified of survives a kill -9.
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
    replaceFile(this.#path, JSON.stringify(value));
  }

  remove(): void {
    fs.rmSync(this.#path, { force: true });
  }
}

/** Puts a file in the place of the one there, which a snapshot may have too: that is never written to. */
export function replaceFile(filePath: string, data: string | Uint8Array): void {
  fs.mkdirSync(path.dirname(filePath), { recursive: true });
  const temporary = `${filePath}.new`;
  // Left by a kill -9, and since then perhaps in a snapshot.
  fs.rmSync(temporary, { force: true });
  fs.writeFileSync(temporary, data, { mode: 0o600 });
  fs.renameSync(temporary, filePath);
}
