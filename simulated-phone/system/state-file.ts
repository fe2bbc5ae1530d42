import fs from 'node:fs';
import path from 'node:path';

/**
 * A small JSON file that is read once, and written whole by rename before `write` returns. So a change that was confirmed to a client
 * survives a kill -9.
 */
export class StateFile<T> {
  readonly #path: string;

  constructor(filePath: string) {
    this.#path = filePath;
  }

  /** Reads the file. Undefined when it was never written. Throws when it is there and is not JSON. */
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

/** Replaces a file by a new one. The old file is never written to, as a snapshot may share it. */
export function replaceFile(filePath: string, data: string | Uint8Array): void {
  fs.mkdirSync(path.dirname(filePath), { recursive: true });
  const temporary = `${filePath}.new`;
  // A kill -9 may have left a temporary file that a snapshot shares, so it is removed and not overwritten.
  fs.rmSync(temporary, { force: true });
  fs.writeFileSync(temporary, data, { mode: 0o600 });
  fs.renameSync(temporary, filePath);
}
