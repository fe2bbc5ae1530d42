import { closeSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'emulator.log';
/** Kept in the newer of the two files at most, bytes; the older one is as long. */
const MAX_BYTES = 512 * 1024;

/** The output of an emulator, in two files of which the older one is dropped when the newer one is full. */
export class BoundedLog {
  readonly #path: string;
  #file: number;
  #bytes: number;

  constructor(folder: string) {
    this.#path = join(folder, NAME);
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#bytes = statSync(this.#path).size;
  }

  write(part: Uint8Array | string): void {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    if (this.#bytes > 0 && this.#bytes + bytes.length > MAX_BYTES) {
      closeSync(this.#file);
      renameSync(this.#path, `${this.#path}.1`);
      this.#file = openSync(this.#path, 'a', 0o600);
      this.#bytes = 0;
    }
    try {
      writeSync(this.#file, bytes);
      this.#bytes += bytes.length;
    } catch (error) {
      // A full disk costs lines of the log, and not the phone.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

/** Of the keeper's own lines in the log. */
export const KEEPER_MARK = 'keeper: ';
/** The first line of each start. */
export const START_MARK = `${KEEPER_MARK}starting `;

/**
 * Returns the last lines of the latest start of an emulator, at most `most`, without those of its keeper; '' where there are none. They are
 * shown to customers, so paths of the host are left out.
 */
export function lastLogLines(folder: string, most: number): string {
  const lines = [`${NAME}.1`, NAME].flatMap((name) => textOf(join(folder, name)).split('\n'));
  return lines
    .slice(lines.findLastIndex((line) => line.startsWith(START_MARK)) + 1)
    .map((line) => line.trimEnd().slice(0, MAX_LINE_CHARS))
    .filter((line) => line !== '' && !line.startsWith(KEEPER_MARK))
    .slice(-most)
    .map((line) => line.replaceAll(/(?:\/[^\s/'":,]+){2,}\/?/g, '(path)').replaceAll(/[^\x20-\x7e]/g, '?'))
    .join('\n');
}

const MAX_LINE_CHARS = 500;

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
