import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { MAX_FILE_CHARS } from '../../../replay/format/limits.js';
import { type ReadReplay, readReplay } from '../../../replay/format/read-replay.js';
import { ReplayFault } from '../../../replay/format/replay.js';
import { fileFailure } from '../output/file-failure.js';
import type { Terminal } from '../output/terminal.js';
import { UsageError } from '../output/usage-error.js';

/** Most bytes that are read: a character of the bound has up to three in UTF-8. */
const MAX_FILE_BYTES = MAX_FILE_CHARS * 3;

/** Reads a replay file, or standard input for `-`. Throws a UsageError with the line for a file that is no replay. */
export async function openReplay(file: string, terminal: Terminal): Promise<ReadReplay> {
  return asUsage(file, readReplay, await readText(file, terminal));
}

/** Reads a text file of at most the size of a replay. */
export async function readText(file: string, { input }: Pick<Terminal, 'input'>): Promise<string> {
  if (file === '-') return readStream(input);
  try {
    const handle = await open(file);
    return await readStream(handle.createReadStream());
  } catch (error) {
    throw error instanceof UsageError ? error : fileFailure(file, error);
  }
}

/** Reads a stream to its end, or refuses it: pipes and files of the system have no size to look at before. */
async function readStream(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > MAX_FILE_BYTES) throw new UsageError(`The file is larger than ${MAX_FILE_BYTES} bytes, and no replay.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
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
