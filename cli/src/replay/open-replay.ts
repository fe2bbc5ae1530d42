import { open } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { MAX_FILE_CHARS } from '../../../replay/format/limits.js';
import { type ReadReplay, readReplay } from '../../../replay/format/read-replay.js';
import { ReplayFault } from '../../../replay/format/replay.js';
import { Failure } from '../output/failure.js';
import type { Terminal } from '../output/terminal.js';
import { UsageError } from '../output/usage-error.js';

/** Most bytes of a character in UTF-8, as the bound of a file counts characters. */
const MAX_CHAR_BYTES = 3;

/** Reads a replay file, or standard input for `-`. Throws a UsageError with the line for a file that is no replay. */
export async function openReplay(file: string, terminal: Terminal): Promise<ReadReplay> {
  return asUsage(file, readReplay, await readText(file, terminal));
}

/** Reads a text file of at most the size of a replay. */
export async function readText(file: string, { input }: Pick<Terminal, 'input'>): Promise<string> {
  if (file === '-') return readAll(input);
  const maxBytes = MAX_FILE_CHARS * MAX_CHAR_BYTES;
  const handle = await open(file).catch((error: unknown) => {
    throw new Failure(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  });
  try {
    // Files of the system have no size, so the reading itself is bounded.
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    if (bytesRead > maxBytes) throw new UsageError(`${file} is larger than ${maxBytes} bytes, and no replay.`);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Calls a reader of a file. Its ReplayFault becomes a UsageError that names the file. */
export function asUsage<T>(file: string, read: (text: string) => T, text: string): T {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof ReplayFault) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}
