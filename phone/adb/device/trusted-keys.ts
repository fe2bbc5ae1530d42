import { readFileSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import { isSignedBy, parsePublicKey } from '../public-key.js';

/** The clients that adbd lets in. */
export interface TrustedKeys {
  /** Whether one of the keys made this signature of `token`. */
  verify(token: Buffer, signature: Buffer): boolean;
}

/**
 * The keys of a file in the format of Android's `adb_keys`: one line of `adbkey.pub` for each key. Empty lines and lines that begin with
 * `#` are skipped. The file is read at each use, so that a key added to it is accepted at the next connection. If the file cannot be read
 * or a line is not a key, the error is one line that names the file.
 */
export class KeysFile implements TrustedKeys {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.#read();
  }

  verify(token: Buffer, signature: Buffer): boolean {
    return this.#read().some((key) => isSignedBy(key, token, signature));
  }

  #read(): KeyObject[] {
    const keys: KeyObject[] = [];
    for (const [index, line] of readText(this.#path).split('\n').entries()) {
      if (line.trim() === '' || line.startsWith('#')) continue;
      const key = parsePublicKey(line);
      if (key === undefined)
        throw new Error(`${this.#path}, line ${index + 1}: not a key as in adbkey.pub (2048 bit RSA, base64).`);
      keys.push(key);
    }
    return keys;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`The keys file ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`, {
      cause: error,
    });
  }
}
