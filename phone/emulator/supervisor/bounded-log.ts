import { closeSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'emulator.log';
/** Most bytes of each of the two files. */
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

/** The beginning of the supervisor's own lines in the log. */
export const SUPERVISOR_MARK = 'supervisor: ';
/** The first line of each start. */
export const START_MARK = `${SUPERVISOR_MARK}starting `;

/**
 * Returns the emulator's last lines since its latest start, at most `most`, without the supervisor's own lines; '' when there are none.
 * Paths of the host are removed, as the lines are shown to customers.
 */
export function lastLogLines(folder: string, most: number): string {
  const lines = [`${NAME}.1`, NAME].flatMap((name) => textOf(join(folder, name)).split('\n'));
  return lines
    .slice(lines.findLastIndex((line) => line.startsWith(START_MARK)) + 1)
    .map((line) => line.trimEnd().slice(0, MAX_LINE_CHARS))
    .filter((line) => line !== '' && !line.startsWith(SUPERVISOR_MARK))
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
